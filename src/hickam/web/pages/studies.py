"""The Studies page: reports of studies, as the study command wrote them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse
from starlette.exceptions import HTTPException

from hickam.web.pages.render import page
from hickam.web.pages.state import read_state
from hickam.web.service import ServiceOf

router = APIRouter()
REPORTS = ("report.html", "index.html", "scenarios.html")
SHOWN = (".html", ".svg", ".pdf", ".png", ".csv", ".json", ".yaml", ".parquet", ".txt", ".md")
# A report is self-contained: its own inline style and pictures, no script, nothing from outside.
REPORT_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "script-src 'none'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'"
)


@dataclass(frozen=True, slots=True)
class Study:
    """One study's folder."""

    name: str
    report: str
    written: datetime
    files: list[str]


@router.get("/studies")
async def studies_page(request: Request, service: ServiceOf) -> HTMLResponse:
    """The Studies page."""
    folder = service.settings.studies
    return page(
        request,
        "studies.html",
        title="Studies",
        state=read_state(request.query_params),
        offer=None,
        studies=list_studies(Path(folder)) if folder else [],
        folder=bool(folder),
    )


@router.get("/studies/{name}/{path:path}")
async def study_file(name: str, path: str, service: ServiceOf) -> FileResponse:
    """One file of a study."""
    if not service.settings.studies:
        raise HTTPException(404, "no studies are shown here")
    root = Path(service.settings.studies).resolve()
    file = (root / name / path).resolve()
    inside = file.is_relative_to(root / name) and (root / name).parent == root
    if not inside or not file.is_file() or file.suffix.lower() not in SHOWN:
        raise HTTPException(404, "no such file in this study")
    return FileResponse(file, headers={"Content-Security-Policy": REPORT_POLICY})


def list_studies(folder: Path) -> list[Study]:
    """The studies of a folder that have a report, newest first."""
    found = []
    for place in folder.iterdir():
        report = next((name for name in REPORTS if (place / name).is_file()), None)
        if report is None:
            continue
        written = datetime.fromtimestamp((place / report).stat().st_mtime, UTC)
        files = sorted(
            str(path.relative_to(place))
            for path in place.rglob("*")
            if path.is_file() and path.suffix.lower() in SHOWN and path.name != report
        )
        found.append(Study(place.name, report, written, files[:40]))
    return sorted(found, key=lambda study: study.written, reverse=True)
