"""What can be chosen about a game of Berd."""

from pydantic import BaseModel, ConfigDict, Field, field_validator


class Config(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    num_players: int = Field(4, ge=2, le=16, description="players")
    tokens: int = Field(9, ge=2, le=11, description="tokens of each player")
    path: int = Field(40, ge=16, le=64, description="squares on the path, a multiple of 4; 28 for the short board")
    max_turns: int = Field(1000, ge=1, le=2_000_000_000, description="turns after which the game is cut off")

    @field_validator("path")
    @classmethod
    def _four_equal_sides(cls, value: int) -> int:
        if value % 4:
            raise ValueError("must be a multiple of 4")
        return value
