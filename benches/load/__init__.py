"""CPU time, memory and lateness of the generator beside wrk, oha, k6, h2load and vegeta."""
