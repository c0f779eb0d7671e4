"""Makes court papers in the layout of real ones, with known positions of the printed text."""
