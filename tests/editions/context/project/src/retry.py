MAX_RETRIES = 5


def retry(call):
    for _ in range(MAX_RETRIES):
        call()
