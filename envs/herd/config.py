"""What can be chosen about a game of Herd."""

from pydantic import BaseModel, ConfigDict, Field, field_validator


class Config(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    size: int = Field(5, ge=2, le=8, description="cells on each side of the hexagon")
    max_turns: int = Field(
        500, ge=2, le=2_000_000_000, description="turns after which the game is cut off; even, so that both players have as many"
    )

    @field_validator("max_turns")
    @classmethod
    def _even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("must be even, so that both players have as many turns")
        return value

    @property
    def num_players(self) -> int:
        return 2
