import os


def first():
    return 1


def zebra_token():
    # the zebra token is renewed
    return os.environ["TOKEN"]
