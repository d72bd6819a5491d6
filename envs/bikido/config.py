"""What can be chosen about a game of Bikido."""

from pydantic import BaseModel, ConfigDict, Field


class Config(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    start: str = Field("classic", description="'classic' or the text of the position that every game begins with")
    max_turns: int = Field(
        800, ge=1, le=1_000_000, description="turns after which the game is a draw; from 1024 on a state grows with it (K7)"
    )
    levels: int = Field(6, ge=1, le=34, description="levels of a stack that the observation shows one by one; tokens above are counted")

    @property
    def num_players(self) -> int:
        return 2
