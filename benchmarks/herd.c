/* Herd's batch loop in C, for comparison with the compiled Python: the same records, the same arrays, the same dice.
 *
 * It follows envs/herd/rules.py and envs/core/loops.py function by function, so that games from the same seeds are the same to the
 * byte. Built on demand by benchmarks/against_c.py. */
#include <stdint.h>

#define MAX_SQUARES 225
#define NO_LIMIT 127
enum { DECISION, CHANCE, TERMINAL, TRUNCATED };
enum { BOARD_FULL = 1, TURN_CAP = 2 };

typedef struct __attribute__((packed)) {
    uint64_t rng;
    int8_t node, player, ending;
    int32_t turn;
    double payoff[2];
    int8_t remove;
    int16_t place, stones[2];
    int8_t board[MAX_SQUARES], around[2 * MAX_SQUARES];
} State;

typedef struct {
    int64_t num_actions, observation_size, width, max_turns;
    const uint16_t *square_of;
    const int8_t *degree;
    const uint16_t *neighbours;
    const int8_t *throws;
} Rules;

int64_t state_size(void) { return sizeof(State); }

/* --- random numbers: SplitMix64 */

static uint64_t next_seed(uint64_t seed) { return seed + 0x9E3779B97F4A7C15u; }

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double unit_float(uint64_t number) { return (double)(number >> 11) * (1.0 / 9007199254740992.0); }

static int64_t below(uint64_t number, uint64_t bound) { return (int64_t)(((number >> 32) * bound) >> 32); }

/* --- the rules */

static void start(const Rules *rules, State *state) {
    state->node = CHANCE;
    state->player = state->ending = 0;
    state->turn = 0;
    state->payoff[0] = state->payoff[1] = 0.0;
    state->remove = 0;
    state->place = 0;
    state->stones[0] = state->stones[1] = 0;
    for (int k = 0; k < 2 * MAX_SQUARES; k++) state->around[k] = 0;
    for (int square = 0; square < MAX_SQUARES; square++) state->board[square] = rules->degree[square] == NO_LIMIT ? 3 : 0;
}

static void put_stone(const Rules *rules, State *state, int player, int square) {
    state->board[square] = (int8_t)(player + 1);
    state->stones[player]++;
    for (int k = 6 * square; k < 6 * square + rules->degree[square]; k++) state->around[player * MAX_SQUARES + rules->neighbours[k]]++;
}

static void take_stone(const Rules *rules, State *state, int player, int square) {
    state->board[square] = 0;
    state->stones[player]--;
    for (int k = 6 * square; k < 6 * square + rules->degree[square]; k++) state->around[player * MAX_SQUARES + rules->neighbours[k]]--;
}

static int can_place(const Rules *rules, const State *state, int player) {
    const int8_t *enemy_around = state->around + (1 - player) * MAX_SQUARES;
    for (int square = 0; square < rules->width * rules->width; square++)
        if (state->board[square] == 0 && enemy_around[square] < rules->degree[square]) return 1;
    return 0;
}

static void finish(State *state, int node, int ending) {
    int difference = state->stones[0] - state->stones[1];
    state->node = (int8_t)node;
    state->ending = (int8_t)ending;
    state->payoff[0] = (difference > 0) - (difference < 0);
    state->payoff[1] = -state->payoff[0];
}

static void go_on(const Rules *rules, State *state) {
    if (state->stones[0] + state->stones[1] == rules->num_actions) {
        state->remove = 0;
        state->place = 0;
        finish(state, TERMINAL, BOARD_FULL);
    } else if (state->place == 0 || !can_place(rules, state, state->player)) {
        state->remove = 0;
        state->place = 0;
        state->player = (int8_t)(1 - state->player);
        state->turn++;
        state->node = CHANCE;
        if (state->turn >= rules->max_turns) finish(state, TRUNCATED, TURN_CAP);
    } else {
        state->node = DECISION;
    }
}

static int chance(const Rules *rules, double *weights) {
    for (int outcome = 0; outcome < 21; outcome++)
        weights[outcome] = (rules->throws[2 * outcome] == rules->throws[2 * outcome + 1] ? 1.0 : 2.0) / 36.0;
    return 21;
}

static void resolve(const Rules *rules, State *state, int outcome) {
    int lo = rules->throws[2 * outcome], hi = rules->throws[2 * outcome + 1], enemies = state->stones[1 - state->player];
    state->remove = (int8_t)(lo < enemies ? lo : enemies);
    state->place = (int16_t)(state->turn == 0 ? lo : hi);
    if (state->remove > 0)
        state->node = DECISION;
    else
        go_on(rules, state);
}

static int64_t legal(const Rules *rules, const State *state, int8_t *mask) {
    int64_t count = 0;
    if (state->remove > 0) {
        int8_t enemy_stone = (int8_t)(2 - state->player);
        for (int64_t cell = 0; cell < rules->num_actions; cell++) {
            mask[cell] = state->board[rules->square_of[cell]] == enemy_stone;
            count += mask[cell];
        }
    } else {
        const int8_t *enemy_around = state->around + (1 - state->player) * MAX_SQUARES;
        for (int64_t cell = 0; cell < rules->num_actions; cell++) {
            int square = rules->square_of[cell];
            mask[cell] = (state->board[square] == 0) & (enemy_around[square] < rules->degree[square]);
            count += mask[cell];
        }
    }
    return count;
}

static void apply(const Rules *rules, State *state, int64_t action) {
    int player = state->player, enemy = 1 - player, square = rules->square_of[action], captured = 0;
    if (state->remove > 0) {
        take_stone(rules, state, enemy, square);
        if (--state->remove == 0) go_on(rules, state);
        return;
    }
    put_stone(rules, state, player, square);
    for (int k = 6 * square; k < 6 * square + rules->degree[square]; k++) {
        int near = rules->neighbours[k];
        if (state->board[near] == enemy + 1 && state->around[player * MAX_SQUARES + near] == rules->degree[near]) {
            take_stone(rules, state, enemy, near);
            captured++;
        }
    }
    state->place = (int16_t)(state->place + captured - 1);
    go_on(rules, state);
}

static void observe(const Rules *rules, const State *state, int player, int8_t *restrict out) {
    const int8_t *board = state->board, *degree = rules->degree;
    const int8_t *own_around = state->around + player * MAX_SQUARES, *enemy_around = state->around + (1 - player) * MAX_SQUARES;
    int8_t own = (int8_t)(player + 1), enemy = (int8_t)(2 - player);
    int64_t size = rules->width * rules->width;
    int moving = state->node == DECISION && player == state->player;
    int8_t constants[3] = {
        (int8_t)(moving && state->remove > 0),
        (int8_t)(moving ? state->remove : 0),
        (int8_t)(moving ? (state->place < 127 ? state->place : 127) : 0),
    };
    for (int64_t k = 0; k < size; k++) out[k] = board[k] == own;
    out += size;
    for (int64_t k = 0; k < size; k++) out[k] = board[k] == enemy;
    out += size;
    for (int64_t k = 0; k < size; k++) out[k] = board[k] == 0;
    out += size;
    for (int64_t k = 0; k < size; k++) out[k] = board[k] != 3;
    for (int plane = 0; plane < 3; plane++) {
        out += size;
        for (int64_t k = 0; k < size; k++) out[k] = constants[plane];
    }
    out += size;
    for (int64_t k = 0; k < size; k++) out[k] = (board[k] == 0) & (enemy_around[k] == degree[k]);
    out += size;
    for (int64_t k = 0; k < size; k++) out[k] = (board[k] == 0) & (own_around[k] == degree[k]);
}

/* --- the loops */

static int64_t enter(const Rules *rules, State *state, int8_t *mask) {
    double weights[21];
    while (state->node == CHANCE) {
        int count = chance(rules, weights), outcome = 0;
        state->rng = next_seed(state->rng);
        double left = unit_float(mix(state->rng));
        while (outcome < count - 1 && left >= weights[outcome]) left -= weights[outcome++];
        resolve(rules, state, outcome);
    }
    return state->node == DECISION ? legal(rules, state, mask) : 0;
}

void sample_range(const int8_t *masks, int64_t num_actions, uint64_t *seeds, int64_t *actions, int64_t first, int64_t stop) {
    for (int64_t i = first; i < stop; i++) {
        const int8_t *mask = masks + i * num_actions;
        int64_t count = 0, at = 0;
        for (int64_t action = 0; action < num_actions; action++) count += mask[action];
        seeds[i] = next_seed(seeds[i]);
        int64_t left = below(mix(seeds[i]), (uint64_t)count);
        for (; at + 32 < num_actions; at += 32) { /* whole blocks are summed by vector instructions */
            int inside = 0;
            for (int64_t action = at; action < at + 32; action++) inside += mask[action];
            if (left < inside) break;
            left -= inside;
        }
        while ((left -= mask[at]) >= 0) at++;
        actions[i] = at;
    }
}

void step_range(const Rules *rules, State *states, const int64_t *actions, int8_t *masks, int64_t *players, int8_t *observations,
                int8_t *finals, double *rewards, uint8_t *terminated, uint8_t *truncated, int8_t *endings, int64_t first, int64_t stop) {
    for (int64_t i = first; i < stop; i++) {
        State *state = states + i;
        int8_t *mask = masks + i * rules->num_actions;
        int mover = state->player;
        apply(rules, state, actions[i]);
        enter(rules, state, mask);
        terminated[i] = state->node == TERMINAL;
        truncated[i] = state->node == TRUNCATED;
        endings[i] = state->ending;
        rewards[2 * i] = state->payoff[0];
        rewards[2 * i + 1] = state->payoff[1];
        if (state->node >= TERMINAL) {
            observe(rules, state, mover, finals + i * rules->observation_size);
            do start(rules, state);
            while (enter(rules, state, mask) == 0);
        }
        players[i] = state->player;
        observe(rules, state, state->player, observations + i * rules->observation_size);
    }
}
