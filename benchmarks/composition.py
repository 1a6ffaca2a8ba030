"""What rounds cost together: our budgets, privacy-loss distributions, another library, and plain addition.

    python -m benchmarks.composition

Each round is one row of Adult's statistics. The column of dp-accounting needs the extra `oracle`.
"""

from fractions import Fraction

from securenb.data.dataset import DATASETS
from securenb.privacy.accountant import ORDERS, converted
from securenb.privacy.budget import Budget, Orders, fixed_epsilon
from securenb.privacy.cost import renyi, together
from securenb.privacy.mechanism import MECHANISMS

DELTA = 1e-6

CASES = [
    (name, epsilon, rounds)
    for name in ("discrete_laplace", "skellam")
    for epsilon, rounds in (("0.1", 1), ("0.1", 10), ("0.1", 100), ("1", 10), ("1", 50))
]


def theirs(noise: str, multiplier: float, queries: int, rounds: int) -> str:
    """Rényi accounting by dp-accounting of what the noise is close to, at its own orders."""
    try:
        import dp_accounting
        from dp_accounting import rdp
    except ImportError:
        return "not installed"
    event = dp_accounting.GaussianDpEvent if noise == "skellam" else dp_accounting.LaplaceDpEvent
    accountant = rdp.RdpAccountant()
    accountant.compose(event(multiplier), queries * rounds)
    return f"{accountant.get_epsilon(DELTA):.3f}"


def main() -> None:
    """Print the table."""
    schema = DATASETS["adult"].schema
    columns = ["noise, epsilon", "rounds", "added", "budget", "best order", "fixed in advance", "theirs"]
    print(f"| {' | '.join(columns)} |")
    print("|" + " --- |" * len(columns))
    for name, epsilon, rounds in CASES:
        kind = MECHANISMS[name]
        mechanism = kind.from_epsilon(epsilon, DELTA if kind.needs_delta else None)
        cost = mechanism.cost(schema, "add-remove", 1, 1)
        assert cost is not None
        law = mechanism.noise(schema, schema.blocks[0], 1)
        assert law is not None
        scale = law.spread() ** 0.5 if name == "skellam" else (law.spread() / 2) ** 0.5
        costs = [cost] * rounds
        best = float(converted(renyi(together(costs), ORDERS), ORDERS, DELTA).min())
        spent = Orders.best_for(Budget(Fraction(str(round(best, 3))), DELTA)).epsilon(costs, DELTA)
        assert spent is not None
        fixed = fixed_epsilon(costs, DELTA)
        added = rounds * float(epsilon)
        print(
            f"| {name}, {epsilon} | {rounds} | {added:.3g} | {float(spent):.3f} | {best:.3f} | "
            f"{'not tabulated' if fixed is None else f'{fixed:.3f}'} | "
            f"{theirs(name, scale / mechanism.grid, len(schema.blocks), rounds)} |"
        )


if __name__ == "__main__":
    main()
