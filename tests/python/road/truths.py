"""The truth at twice the traffic of the sites that each run of the tests asks about.

Half a minute of a core computes it, and it depends on a site's seed alone. To record it anew, after
a change to the simulator or to a site: `true_p99_s(site_of(seed).busier(FACTOR))`.
"""

TRUTHS = {
    3: 1.0653990724895355,
    15: 0.26957672448020276,
    19: 1.0528789270343282,
    29: 0.778450522628153,
    44: 0.1611273891138012,
    32855751: 0.6587229221190766,
    531979374: 0.2809950260608254,
}
"""The 99th percentile of response times in seconds, by the seed of the site."""
