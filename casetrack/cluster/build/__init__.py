"""What is made of a collection's rows, made on a cluster by shards of its documents."""
