"""What every face calls: the library, collections, and what shows them."""
