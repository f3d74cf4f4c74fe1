"""Work on a cluster instead of the processes of this machine."""

from collections.abc import Iterator
from contextlib import contextmanager

from spinney._cli.errors import Refusal

_SECONDS = 10  # within which a scheduler must answer


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Send the units of work in this block to the Dask scheduler at an address, if there is one."""
    if address is None:
        yield
        return
    try:
        from distributed import Client
        from joblib import parallel_config  # type: ignore[import-untyped]

        from spinney.dask._tasks import check_versions
    except ImportError as error:
        raise Refusal("--dask needs dask: pip install 'spinney[dask]'.") from error
    try:
        client = Client(address, timeout=_SECONDS)
    except (OSError, ValueError) as error:
        raise Refusal(
            f"--dask {address}: no Dask scheduler answers there ({error}). Start one with "
            "'dask scheduler', and give its address, such as tcp://127.0.0.1:8786."
        ) from error
    with client:
        try:
            check_versions(client)
        except RuntimeError as error:
            raise Refusal(f"--dask {address}: {error}") from error
        with parallel_config("dask", client=client):
            yield
