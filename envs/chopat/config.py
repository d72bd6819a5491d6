"""What can be chosen about a game of Chopat."""

from pydantic import BaseModel, ConfigDict, Field


class Config(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    num_players: int = Field(4, ge=2, le=4, description="players: two sit at S and N, three at S, W and N, four at S, W, N and E")
    men: int = Field(4, ge=1, le=4, description="men on each side; spaces keep the size they have with four")
    safe_flowers: bool = Field(True, description="nobody is hit on a flower")
    play_for_places: bool = Field(False, description="the others play on after the first has come home, for the places behind")
    mouth_up_probability: float = Field(0.5, gt=0, lt=1, description="that a cowrie falls mouth up, each on its own")
    max_turns: int = Field(1000, ge=1, le=2_000_000_000, description="turns after which the game is cut off")
