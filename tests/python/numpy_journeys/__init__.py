"""What is counted of visits by numpy, a second implementation of `crates/log/src/journeys`.

It goes through whole columns, sorts where the other one counts, and has no loop over requests.
`steps` is what follows what, `asked` what is asked for, `answered` how it is answered, how long
users think, and how soon a thing is asked for again.
"""
