#include "novelty/depth_table.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "state/bits.hpp"

namespace widthwise {

DepthTable::DepthTable(std::uint32_t width, std::uint32_t item_size) : width_(width), item_size_(item_size) {
    if (width > 2) throw std::invalid_argument("depth-based novelty is for widths 1, 2 and n");
    if (item_size != 0 && item_size != 1 && item_size != 2 && item_size != 4)
        throw std::invalid_argument("a feature value takes 1, 2 or 4 bytes; 0 stands for sets");
    if (item_size == 0 && width == 2)
        throw std::invalid_argument("sets of features have novelty of width 1 or n, not 2");
}

std::uint32_t DepthTable::insert(std::string_view features, std::uint32_t depth, std::uint32_t node,
                                 std::string_view before, std::vector<std::uint32_t>& losers) {
    const Owner owner{depth, node};
    if (width_ == 0 || features.empty()) {
        const auto [place, fresh] = whole_.try_emplace(std::string(features), owner);
        return fresh || take(&place->second, owner, losers) ? 1 : 0;
    }
    if (item_size_ == 0) return insert_set(features, owner, before, losers);
    if (features.size() % item_size_ != 0) throw std::invalid_argument("a feature vector has half a value");
    changed(features, before);
    if (width_ == 2 && features.size() > item_size_) return insert_pairs(features, owner, losers);
    std::uint32_t novel = 0;
    Map& map = width_ == 1 ? singles_ : pairs_;  // one feature has no pairs: its values are the tuples
    for (const std::uint32_t index : changed_)
        novel += claim(map, single_key(index, value(features, index)), owner, losers) ? 1 : 0;
    return novel;
}

namespace {

// The numbers of a set, one after the other.
class SetReader {
public:
    explicit SetReader(std::string_view bytes) : bytes_(bytes) {
        if (bytes.size() % sizeof(std::uint32_t) != 0)
            throw std::invalid_argument("a set of features has half a number");
    }
    std::size_t size() const { return bytes_.size() / sizeof(std::uint32_t); }
    std::uint32_t operator[](std::size_t index) const {
        std::uint32_t number;
        std::memcpy(&number, bytes_.data() + index * sizeof number, sizeof number);
        return number;
    }

private:
    std::string_view bytes_;
};

}  // namespace

std::uint32_t DepthTable::insert_set(std::string_view features, Owner owner, std::string_view before,
                                     std::vector<std::uint32_t>& losers) {
    const SetReader numbers(features), known(before);
    std::uint32_t novel = 0;
    std::size_t next = 0;
    for (std::size_t index = 0; index < numbers.size(); ++index) {
        const std::uint32_t number = numbers[index];
        while (next < known.size() && known[next] < number) ++next;
        if (next < known.size() && known[next] == number) continue;
        novel += claim(singles_, single_key(0, number), owner, losers) ? 1 : 0;
    }
    return novel;
}

std::uint32_t DepthTable::insert_pairs(std::string_view features, Owner owner,
                                       std::vector<std::uint32_t>& losers) {
    const std::size_t count = features.size() / item_size_;
    numbers_.resize(count);
    for (std::size_t index = 0; index < count; ++index) {
        const std::uint64_t key = single_key(index, value(features, index));
        if (const Owner* known = singles_.find(key)) {
            numbers_[index] = known->node;
        } else {
            numbers_[index] = static_cast<std::uint32_t>(singles_.size()) + 1;
            singles_.add(key, Owner{0, numbers_[index]});
        }
    }
    std::uint32_t novel = 0;
    std::size_t next = 0;  // the next changed position at or after `left`
    for (std::size_t left = 0; left < count; ++left) {
        const std::uint64_t high = static_cast<std::uint64_t>(numbers_[left]) << 32;
        if (next < changed_.size() && changed_[next] == left) {
            ++next;
            for (std::size_t right = left + 1; right < count; ++right)
                novel += claim(pairs_, high | numbers_[right], owner, losers) ? 1 : 0;
        } else {
            for (std::size_t index = next; index < changed_.size(); ++index)
                novel += claim(pairs_, high | numbers_[changed_[index]], owner, losers) ? 1 : 0;
        }
    }
    return novel;
}

// The positions whose value differs from `before`; all of them without one.
void DepthTable::changed(std::string_view features, std::string_view before) {
    changed_.clear();
    const std::size_t count = features.size() / item_size_;
    const bool all = before.size() != features.size();
    constexpr std::size_t kBlock = 64;
    for (std::size_t start = 0; start < features.size(); start += kBlock) {
        const std::size_t size = std::min(kBlock, features.size() - start);
        if (!all && std::memcmp(features.data() + start, before.data() + start, size) == 0) continue;
        const std::size_t end = std::min(count, (start + size) / item_size_);
        for (std::size_t index = start / item_size_; index < end; ++index)
            if (all || value(features, index) != value(before, index))
                changed_.push_back(static_cast<std::uint32_t>(index));
    }
}

std::vector<std::uint32_t> DepthTable::depths(std::string_view features) const {
    std::vector<std::uint32_t> found;
    const auto note = [&](const Owner* owner) {
        if (owner != nullptr) found.push_back(owner->depth);
    };
    if (width_ == 0 || features.empty()) {
        const auto place = whole_.find(std::string(features));
        note(place == whole_.end() ? nullptr : &place->second);
        return found;
    }
    if (item_size_ == 0) {
        const SetReader numbers(features);
        for (std::size_t index = 0; index < numbers.size(); ++index)
            note(singles_.find(single_key(0, numbers[index])));
        return found;
    }
    const std::size_t count = features.size() / item_size_;
    if (width_ == 1 || count == 1) {
        const Map& map = width_ == 1 ? singles_ : pairs_;
        for (std::size_t index = 0; index < count; ++index)
            note(map.find(single_key(index, value(features, index))));
    } else {
        for (std::size_t left = 0; left < count; ++left)
            for (std::size_t right = left + 1; right < count; ++right) {
                const Owner* one = singles_.find(single_key(left, value(features, left)));
                const Owner* other = singles_.find(single_key(right, value(features, right)));
                if (one == nullptr || other == nullptr) continue;
                note(pairs_.find(static_cast<std::uint64_t>(one->node) << 32 | other->node));
            }
    }
    return found;
}

std::uint32_t DepthTable::value(std::string_view features, std::size_t index) const {
    if (item_size_ == 1) return static_cast<std::uint8_t>(features[index]);
    std::uint32_t result = 0;
    std::memcpy(&result, features.data() + index * item_size_, item_size_);
    return result;
}

bool DepthTable::take(Owner* known, Owner owner, std::vector<std::uint32_t>& losers) {
    if (owner.depth >= known->depth) return false;
    losers.push_back(known->node);
    *known = owner;
    return true;
}

bool DepthTable::claim(Map& map, std::uint64_t key, Owner owner, std::vector<std::uint32_t>& losers) {
    if (Owner* known = map.find(key)) return take(known, owner, losers);
    map.add(key, owner);
    return true;
}

std::size_t DepthTable::bytes() const {
    std::size_t whole = 0;
    for (const auto& [vector, owner] : whole_) whole += vector.capacity() + sizeof(owner) + 4 * sizeof(void*);
    return singles_.bytes() + pairs_.bytes() + whole;
}

void DepthTable::clear() {
    singles_.clear();
    pairs_.clear();
    whole_.clear();
}

namespace {

// Numbers of fixed size one after the other.
template <typename Number>
void put(std::string& out, Number number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    out.append(bytes, sizeof number);
}

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    std::string_view take(std::size_t size) {
        if (size > bytes_.size()) throw std::invalid_argument("a saved novelty table ends too early");
        const std::string_view taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }

    template <typename Number>
    Number number() {
        Number result;
        std::memcpy(&result, take(sizeof result).data(), sizeof result);
        return result;
    }

    bool empty() const { return bytes_.empty(); }

private:
    std::string_view bytes_;
};

}  // namespace

std::string DepthTable::save() const {
    std::string out;
    const auto write = [&out](const Map& map) {
        put(out, static_cast<std::uint64_t>(map.size()));
        for (const Map::Slot& slot : map.sorted()) {
            put(out, slot.key);
            put(out, slot.owner.depth);
            put(out, slot.owner.node);
        }
    };
    write(singles_);
    write(pairs_);
    std::vector<std::pair<std::string_view, Owner>> whole(whole_.begin(), whole_.end());
    std::sort(whole.begin(), whole.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    put(out, static_cast<std::uint64_t>(whole.size()));
    for (const auto& [vector, owner] : whole) {
        put(out, static_cast<std::uint64_t>(vector.size()));
        out += vector;
        put(out, owner.depth);
        put(out, owner.node);
    }
    return out;
}

void DepthTable::load(std::string_view saved) {
    clear();
    Reader in(saved);
    const auto owner = [&in] {
        const auto depth = in.number<std::uint32_t>();
        return Owner{depth, in.number<std::uint32_t>()};
    };
    for (Map* map : {&singles_, &pairs_})
        for (auto left = in.number<std::uint64_t>(); left > 0; --left) {
            const auto key = in.number<std::uint64_t>();
            if (key == 0 || map->find(key) != nullptr)
                throw std::invalid_argument("a saved novelty table has a tuple that cannot be");
            map->add(key, owner());
        }
    for (auto left = in.number<std::uint64_t>(); left > 0; --left) {
        std::string vector(in.take(in.number<std::uint64_t>()));
        whole_.insert_or_assign(std::move(vector), owner());
    }
    if (!in.empty()) throw std::invalid_argument("a saved novelty table has bytes after its end");
}

std::vector<DepthTable::Map::Slot> DepthTable::Map::sorted() const {
    std::vector<Slot> found;
    for (const Slot& slot : slots_)
        if (slot.key != 0) found.push_back(slot);
    std::sort(found.begin(), found.end(), [](const Slot& a, const Slot& b) { return a.key < b.key; });
    return found;
}

std::size_t DepthTable::Map::place(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = mix(key) & mask;
    while (slots_[slot].key != 0 && slots_[slot].key != key) slot = (slot + 1) & mask;
    return slot;
}

DepthTable::Owner* DepthTable::Map::find(std::uint64_t key) {
    if (slots_.empty()) return nullptr;
    Slot& slot = slots_[place(key)];
    return slot.key == 0 ? nullptr : &slot.owner;
}

const DepthTable::Owner* DepthTable::Map::find(std::uint64_t key) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[place(key)];
    return slot.key == 0 ? nullptr : &slot.owner;
}

void DepthTable::Map::add(std::uint64_t key, Owner owner) {
    if ((count_ + 1) * 4 > slots_.size() * 3) grow();
    slots_[place(key)] = Slot{key, owner};
    ++count_;
}

void DepthTable::Map::grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
        if (slot.key != 0) slots_[place(slot.key)] = slot;
}

void DepthTable::Map::clear() {
    slots_.clear();
    count_ = 0;
}

}  // namespace widthwise
