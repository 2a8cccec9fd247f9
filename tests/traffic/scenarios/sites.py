"""Sites that the scenarios share."""

from __future__ import annotations

from dataclasses import replace

from traffic.laws import Law, const, erlang, exp, geometric, h2, lognormal, pareto, weibull
from traffic.site import END, Kind, Objects, Site, Target, pronounceable

ITEMS = Target("/item/{id}", 10_000, 0.9)
USERS = Target("/u/{name}", 2_000, 0.7)
SHARED = Target("/{uuid}", 3_000, 0.5)

_QUICK = exp(0.008)
_SLOW = h2(0.04, 4.0)

SHOP = Site(
    [
        Kind(
            *("home", Target("/")),
            next={
                "search": 0.25,
                "list": 0.30,
                "item": 0.15,
                "login": 0.05,
                "help": 0.03,
                "end": 0.22,
            },
        ),
        Kind(
            *("search", Target("/search?q={name}", 3_000, 1.0)),
            demand=_SLOW,
            next={"item": 0.45, "search": 0.20, "list": 0.10, "end": 0.25},
        ),
        Kind(
            *("list", Target("/list/{name}", 40, 0.8)),
            next={"item": 0.55, "list": 0.20, "home": 0.05, "search": 0.05, "end": 0.15},
        ),
        Kind(
            *("item", ITEMS),
            next={
                "item": 0.25,
                "reviews": 0.12,
                "cart": 0.12,
                "list": 0.15,
                "user": 0.06,
                "share": 0.02,
                "end": 0.28,
            },
        ),
        Kind(
            *("reviews", Target("/item/{id}/reviews", 10_000, 0.9)),
            next={"item": 0.50, "user": 0.15, "reviews": 0.15, "end": 0.20},
        ),
        Kind(
            *("cart", Target("/cart")),
            demand=_QUICK,
            next={"checkout": 0.35, "item": 0.30, "list": 0.10, "end": 0.25},
        ),
        Kind(
            *("checkout", Target("/checkout"), "POST"),
            next={"pay": 0.60, "login": 0.15, "cart": 0.10, "end": 0.15},
        ),
        Kind(
            *("pay", Target("/pay"), "POST"),
            demand=_SLOW,
            next={"orders": 0.40, "home": 0.20, "end": 0.40},
        ),
        Kind(
            *("login", Target("/login"), "POST"),
            next={"account": 0.45, "home": 0.20, "checkout": 0.25, "end": 0.10},
        ),
        Kind(
            "account",
            Target("/account"),
            next={"orders": 0.45, "home": 0.20, "share": 0.10, "end": 0.25},
        ),
        Kind(
            *("orders", Target("/orders")),
            next={"account": 0.20, "item": 0.25, "share": 0.15, "end": 0.40},
        ),
        Kind("user", USERS, next={"item": 0.40, "user": 0.20, "end": 0.40}),
        Kind("share", SHARED, next={"item": 0.35, "home": 0.15, "end": 0.50}),
        Kind(
            "help", Target("/help/{name}", 60, 1.1), next={"help": 0.30, "home": 0.25, "end": 0.45}
        ),
    ],
    first={"home": 0.50, "item": 0.25, "search": 0.10, "share": 0.08, "list": 0.04, "help": 0.03},
)
"""A shop of fourteen pages without embedded objects."""

THINKS: dict[str, Law] = {
    "home": exp(8.0),
    "search": lognormal(2.0, 0.8),
    "list": weibull(0.7, 10.0),
    "item": lognormal(2.8, 1.1),
    "reviews": h2(25.0, 4.0),
    "checkout": erlang(3, 30.0),
    "help": pareto(1.8, 6.0),
}
"""Think times by page, each of another law."""


def shop_with_thinks() -> Site:
    """The shop with a think time law of its own for some of its pages."""
    pages = [replace(kind, think=THINKS.get(kind.name)) for kind in SHOP.pages]
    return replace(SHOP, pages=pages)


def magazine(mean_objects: float = 4.0, same: bool = False, host: str = "www.example.com") -> Site:
    """Articles with embedded objects: few pages, many images."""
    objects = Objects(
        geometric(mean_objects),
        {"style": 0.15, "script": 0.2, "image": 0.65},
        connections=6,
        same=same,
    )
    keeps = {"fresh": exp(300.0), "demand": exp(0.003)}
    return Site(
        [
            Kind(
                *("front", Target("/")),
                next={"article": 0.5, "topic": 0.2, "end": 0.3},
                objects=objects,
            ),
            Kind(
                *("topic", Target("/topic/{name}", 30, 0.8)),
                next={"article": 0.6, "topic": 0.1, "end": 0.3},
                objects=objects,
            ),
            Kind(
                *("article", Target("/article/{id}", 4_000, 1.0)),
                next={"article": 0.35, "front": 0.1, "topic": 0.05, "end": 0.5},
                objects=objects,
            ),
        ],
        first={"front": 0.5, "article": 0.45, "topic": 0.05},
        objects=[
            Kind("style", Target("/css/{name}.css", 4, 0.5), size=lognormal(9.5, 0.6), **keeps),
            Kind("script", Target("/js/{name}.js", 12, 0.7), size=lognormal(10.2, 0.9), **keeps),
            Kind("image", Target("/img/{id}.jpg", 5_000, 0.8), size=lognormal(9.8, 1.4), **keeps),
        ],
        host=host,
    )


def archive() -> Site:
    """A great many paths, and a hundred templates of few requests each beside three large ones."""
    sections = [
        Kind(
            f"section-{n}", Target(f"/{pronounceable(n + 90)}/{{id}}/{pronounceable(n)}", 400, 0.5)
        )
        for n in range(100)
    ]
    weights = {kind.name: 0.3 / (n + 1) / 5.187 for n, kind in enumerate(sections)}
    large = [
        Kind("item", Target("/item/{id}", 1_000_000, 0.6)),
        Kind("user", Target("/u/{name}", 100_000, 0.4)),
        Kind("share", Target("/{uuid}", 200_000, 0.3)),
    ]
    weights |= {"item": 0.4, "user": 0.2}
    weights["share"] = 1 - sum(weights.values())
    follow = {name: 0.75 * weight for name, weight in weights.items()} | {END: 0.25}
    return Site([replace(kind, next=follow) for kind in [*sections, *large]], first=weights)


def single_page(host: str = "api.example.com") -> Site:
    """An interface of a program: one request, no journey."""
    return Site(
        [
            Kind(
                "quote", Target("/v1/quote/{name}", 500, 1.1), demand=exp(0.006), next={"end": 1.0}
            ),
            Kind("convert", Target("/v1/convert"), "POST", demand=exp(0.012), next={"end": 1.0}),
        ],
        first={"quote": 0.85, "convert": 0.15},
        host=host,
    )


STATUS = Kind("status", Target("/api/status"), size=const(210), demand=exp(0.004))
HEALTH = Kind("health", Target("/healthz"), size=const(2), demand=const(0.001))
FEED = Kind("feed", Target("/feed.xml"), size=const(18_400), demand=exp(0.006))
RECORDS = Kind("records", Target("/api/records/{id}", 50_000), demand=exp(0.03))
UPLOAD = Kind("upload", Target("/api/records"), "POST", demand=lognormal(-4.0, 0.8), status=201)
REPORT = Kind("report", Target("/api/reports/{uuid}", 400), demand=lognormal(0.6, 0.8))
