"""What a document makes sure about names, and every later occurrence of them."""
