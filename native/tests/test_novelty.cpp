// Novelty tables and depth-based novelty, compared with sets of tuples.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "novelty/depth_table.hpp"
#include "novelty/keyset.hpp"
#include "novelty/novelty.hpp"
#include "tests/support.hpp"

using namespace widthwise;
using namespace widthwise::tests;

namespace {

// All tuples of a state of size 1 to `width`.
std::set<Ids> tuples(const Atoms& state, std::uint32_t width) {
    const Ids atoms(state.begin(), state.end());
    std::set<Ids> all, longest = {{}};
    for (std::uint32_t size = 0; size < width; ++size) {
        std::set<Ids> longer;
        for (const Ids& tuple : longest)
            for (const std::uint32_t atom : atoms)
                if (tuple.empty() || atom > tuple.back()) {
                    Ids more = tuple;
                    more.push_back(atom);
                    longer.insert(more);
                }
        all.insert(longer.begin(), longer.end());
        longest = std::move(longer);
    }
    return all;
}

// Shows a table random states, with and without their parents, and compares it with a set of tuples.
void compare(NoveltyTable& table, std::uint32_t atom_count, std::uint32_t width, std::uint64_t seed) {
    Random random(seed);
    std::set<Ids> seen;
    Atoms before;
    int novel_count = 0;
    for (int turn = 0; turn < 60; ++turn) {
        Atoms state = turn % 7 == 0 ? Atoms{} : before;
        for (int changes = 0; changes < 3; ++changes) {
            const std::uint32_t atom = random.below(atom_count);
            if (!state.erase(atom)) state.insert(atom);
        }
        const std::set<Ids> all = tuples(state, width);
        const bool expected =
            std::any_of(all.begin(), all.end(), [&](const Ids& tuple) { return !seen.contains(tuple); });
        const std::vector<Word> words = pack(state, words_for(atom_count)),
                                parent = pack(before, words_for(atom_count));
        const bool with_parent = turn % 7 != 0 && turn > 0;
        CHECK(table.novel(with_parent ? parent.data() : nullptr, words.data()) == expected);
        CHECK(table.insert(with_parent ? parent.data() : nullptr, words.data()));
        CHECK_FALSE(table.novel(nullptr, words.data()));
        seen.insert(all.begin(), all.end());
        before = state;
        novel_count += expected ? 1 : 0;
    }
    CHECK(novel_count > 5);
}

}  // namespace

TEST_CASE("novelty tables of every width agree with a set of tuples") {
    const auto meter = new_meter();
    for (const std::uint32_t atom_count : {9U, 64U, 70U, 600U})
        for (const std::uint32_t width : {1U, 2U, 3U}) {
            CAPTURE(atom_count);
            CAPTURE(width);
            const auto table = make_table(*meter, atom_count, width);
            REQUIRE(table);
            compare(*table, atom_count, width, atom_count + width);
        }
}

TEST_CASE("a table of pairs that is kept as a hash set agrees as well") {
    const auto meter = new_meter();
    PairTable table(*meter, 70, true);
    CHECK(table.sparse());
    compare(table, 70, 2, 1);
}

TEST_CASE("tuples of many bits are packed into wide keys") {
    const auto meter = new_meter();
    TupleTable<WideKey> table(*meter, 300, 4);
    compare(table, 300, 4, 5);
    CHECK_THROWS_AS(make_table(*meter, 1'000'000, 20), std::invalid_argument);
}

TEST_CASE("a child is judged before it is built as it would be after") {
    const auto meter = new_meter();
    for (const std::uint32_t atom_count : {30U, 130U, 700U}) {
        Random random(atom_count);
        AtomTable atoms(*meter, atom_count);
        PairTable pairs(*meter, atom_count);
        const std::size_t word_count = words_for(atom_count);
        int different = 0;
        for (int turn = 0; turn < 80; ++turn) {
            const Ids some = random.some(atom_count, 8), add = random.some(atom_count, 2);
            Ids del = random.some(atom_count, 2);
            std::erase_if(del, [&](std::uint32_t atom) {
                return std::find(add.begin(), add.end(), atom) != add.end();
            });
            Atoms state(some.begin(), some.end()), child = state;
            for (const std::uint32_t atom : del) child.erase(atom);
            child.insert(add.begin(), add.end());
            const std::vector<Word> parent = pack(state, word_count), after = pack(child, word_count);
            for (NoveltyTable* table :
                 {static_cast<NoveltyTable*>(&atoms), static_cast<NoveltyTable*>(&pairs)})
                REQUIRE(table->insert(nullptr, parent.data()));
            std::vector<Word> scratch(word_count);
            const bool novel_atom = atoms.novel_child(parent.data(), add, del, scratch.data());
            CHECK(novel_atom == atoms.novel(parent.data(), after.data()));
            const bool novel_pair = pairs.novel_child(parent.data(), add, del, scratch.data());
            CHECK(novel_pair == pairs.novel(parent.data(), after.data()));
            if (novel_pair) CHECK(scratch == after);
            different += novel_pair != novel_atom ? 1 : 0;
        }
        CHECK(different > 0);
    }
}

TEST_CASE("the table of whole states tells states apart, in rows of its own and of others") {
    const auto meter = new_meter();
    StateTable own(*meter, 2);
    Chunks<Word> rows(*meter, 2);
    StateTable outside(*meter, 2, &rows);
    std::set<std::vector<Word>> seen;
    Random random(4);
    for (std::uint32_t turn = 0; turn < 500; ++turn) {
        const std::vector<Word> state = {random.below(20), random.below(20)};
        const bool expected = !seen.contains(state);
        CHECK(own.novel(nullptr, state.data()) == expected);
        CHECK(outside.novel(nullptr, state.data()) == expected);
        if (!expected) {
            const auto row = outside.find(state.data());
            REQUIRE(row);
            CHECK(std::equal(state.begin(), state.end(), rows.row(*row)));
            continue;
        }
        seen.insert(state);
        CHECK(own.insert(nullptr, state.data()));
        REQUIRE(rows.reserve_one());
        std::copy(state.begin(), state.end(), rows.push());
        CHECK(outside.insert_row(static_cast<std::uint32_t>(rows.size() - 1)));
    }
}

TEST_CASE("tables stop at the memory limit and give everything back") {
    const auto meter = new_meter(20'000);
    {
        const auto table = make_table(*meter, 5000, 2);
        REQUIRE(table);
        bool fits = true;
        Random random(1);
        for (int turn = 0; turn < 1000 && fits; ++turn) {
            const Ids some = random.some(5000, 60);
            fits = table->insert(nullptr, pack({some.begin(), some.end()}, words_for(5000)).data());
        }
        CHECK_FALSE(fits);
        CHECK(meter->bytes() <= 20'000);
    }
    CHECK(meter->bytes() == 0);
    const auto tiny = new_meter(10);
    CHECK(make_table(*tiny, 5000, 1) == nullptr);
    CHECK(tiny->bytes() == 0);
}

TEST_CASE("a set of keys holds what was put in") {
    const auto meter = new_meter();
    KeySet<std::uint64_t> keys(*meter);
    CHECK_FALSE(keys.contains(5));
    for (std::uint64_t key = 1; key < 2000; key += 2) CHECK(keys.insert(key));
    CHECK(keys.insert(5));
    CHECK(keys.size() == 1000);
    for (std::uint64_t key = 1; key < 2000; ++key) CHECK(keys.contains(key) == (key % 2 == 1));
}

namespace {

// Depth-based novelty, literally: who owns which tuple, and at which depth.
struct DepthTwin {
    std::map<std::vector<std::pair<std::size_t, int>>, std::pair<std::uint32_t, std::uint32_t>> owners;
    std::uint32_t width;

    std::uint32_t insert(const std::string& features, std::uint32_t depth, std::uint32_t node,
                         std::multiset<std::uint32_t>& losers) {
        std::vector<std::vector<std::pair<std::size_t, int>>> shown;
        const auto item = [&](std::size_t index) { return std::pair(index, int{features[index]}); };
        for (std::size_t left = 0; left < features.size(); ++left) {
            if (width == 1) shown.push_back({item(left)});
            for (std::size_t right = left + 1; width == 2 && right < features.size(); ++right)
                shown.push_back({item(left), item(right)});
        }
        if (width == 0) {
            shown.emplace_back();
            for (std::size_t index = 0; index < features.size(); ++index) shown[0].push_back(item(index));
        }
        std::uint32_t owned = 0;
        for (const auto& tuple : shown) {
            const auto known = owners.find(tuple);
            if (known != owners.end() && known->second.first <= depth) continue;
            if (known != owners.end()) losers.insert(known->second.second);
            owners[tuple] = {depth, node};
            ++owned;
        }
        return owned;
    }
};

}  // namespace

TEST_CASE("a tuple belongs to the node that shows it at the smallest depth") {
    for (const std::uint32_t width : {0U, 1U, 2U}) {
        CAPTURE(width);
        DepthTable table(width, 1), loaded(width, 1);
        DepthTwin twin{{}, width};
        Random random(width);
        for (std::uint32_t node = 0; node < 300; ++node) {
            std::string features;
            for (int index = 0; index < 5; ++index) features += static_cast<char>(random.below(4));
            const std::uint32_t depth = random.below(6);
            std::vector<std::uint32_t> losers;
            std::multiset<std::uint32_t> expected;
            const std::uint32_t owned = table.insert(features, depth, node, {}, losers);
            CHECK(owned == twin.insert(features, depth, node, expected));
            CHECK(std::multiset<std::uint32_t>(losers.begin(), losers.end()) == expected);
            if (node == 150) {
                loaded.load(table.save());
                CHECK(loaded.save() == table.save());
            }
            if (node >= 150) {
                losers.clear();
                CHECK(loaded.insert(features, depth, node, {}, losers) == (node == 150 ? 0 : owned));
            }
        }
        CHECK(table.size() == twin.owners.size());
        CHECK(table.save() == loaded.save());
        table.clear();
        CHECK(table.size() == 0);
    }
}

TEST_CASE("tuples that a parent has shown at a smaller depth are skipped") {
    DepthTable table(2, 1);
    std::vector<std::uint32_t> losers;
    CHECK(table.insert("abc", 0, 0, {}, losers) == 3);
    CHECK(table.insert("abd", 1, 1, "abc", losers) == 2);  // a-d and b-d
    CHECK(table.insert("abd", 0, 2, {}, losers) == 2);
    CHECK(losers == std::vector<std::uint32_t>{1, 1});
}

TEST_CASE("bytes that are not a saved table are refused") {
    DepthTable table(1, 1);
    std::vector<std::uint32_t> losers;
    table.insert("ab", 0, 0, {}, losers);
    const std::string saved = table.save();
    DepthTable other(1, 1);
    for (std::size_t size = 0; size < saved.size(); ++size)
        CHECK_THROWS_AS(other.load(saved.substr(0, size)), std::invalid_argument);
    CHECK_THROWS_AS(other.load(saved + "x"), std::invalid_argument);
    CHECK_THROWS_AS(DepthTable(3, 1), std::invalid_argument);
}

TEST_CASE("a set of features shows the numbers that its parent did not show") {
    const auto set = [](std::initializer_list<std::uint32_t> numbers) {
        std::string bytes;
        for (const std::uint32_t number : numbers)
            bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
        return bytes;
    };
    DepthTable table(1, 0);
    std::vector<std::uint32_t> losers;
    CHECK(table.insert(set({3, 70000}), 0, 0, {}, losers) == 2);
    CHECK(table.insert(set({3, 9, 70000}), 1, 1, set({3, 70000}), losers) == 1);
    CHECK(table.insert(set({9}), 0, 2, {}, losers) == 1);
    CHECK(losers == std::vector<std::uint32_t>{1});
    CHECK(table.depths(set({3, 4, 9})) == std::vector<std::uint32_t>{0, 0});
    CHECK_THROWS_AS(table.insert("abc", 0, 3, {}, losers), std::invalid_argument);
    CHECK_THROWS_AS(DepthTable(2, 0), std::invalid_argument);
}
