// A small reader of JSON: a text becomes a tree of values. C++17, nothing else.

#ifndef JSON_HPP
#define JSON_HPP

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// A value. What is not there or of another kind reads as empty, so `json["a"].text()` always gives
/// a text.
class Json {
public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;

    Json() = default;

    /// The value that a text holds; throws std::invalid_argument if it is not JSON. The text must
    /// outlive `raw`.
    static Json parse(std::string_view text) {
        Reader reader{text};
        Json value = reader.value(0);
        reader.skip_space();
        if (reader.at < text.size()) reader.fail();
        return value;
    }

    /// The value as it was written.
    std::string_view raw() const { return raw_; }

    /// A field of an object.
    const Json& operator[](std::string_view key) const {
        static const Json nothing;
        for (const auto& [name, value] : fields())
            if (name == key) return value;
        return nothing;
    }

    /// The fields of an object, in order.
    const Object& fields() const { return as<Object>(); }

    /// The values of an array.
    const Array& items() const { return as<Array>(); }

    const std::string& text() const { return as<std::string>(); }

    double number(double otherwise = 0) const {
        const double* number = std::get_if<double>(&value_);
        return number ? *number : otherwise;
    }

    bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }

private:
    static constexpr int deepest = 100;

    std::variant<std::nullptr_t, bool, double, std::string, Array, Object> value_ = nullptr;
    std::string_view raw_ = "null";

    template <typename T>
    const T& as() const {
        static const T empty{};
        const T* value = std::get_if<T>(&value_);
        return value ? *value : empty;
    }

    struct Reader {
        std::string_view text;
        std::size_t at = 0;

        [[noreturn]] void fail() const { throw std::invalid_argument("no JSON at " + std::to_string(at)); }

        char next() const { return at < text.size() ? text[at] : '\0'; }

        void skip_space() { at = std::min(text.find_first_not_of(" \t\r\n", at), text.size()); }

        /// Passes over what is there, after white space; whether it was there.
        bool take(std::string_view wanted) {
            skip_space();
            if (text.substr(at, wanted.size()) != wanted) return false;
            at += wanted.size();
            return true;
        }

        void need(std::string_view wanted) {
            if (!take(wanted)) fail();
        }

        Json value(int depth) {
            Json value;
            skip_space();
            std::size_t start = at;
            if (depth > deepest) fail();
            if (take("{"))
                value.value_ = object(depth);
            else if (take("["))
                value.value_ = array(depth);
            else if (take("\""))
                value.value_ = string();
            else if (take("true"))
                value.value_ = true;
            else if (take("false"))
                value.value_ = false;
            else if (!take("null"))
                value.value_ = number();
            value.raw_ = text.substr(start, at - start);
            return value;
        }

        Object object(int depth) {
            Object fields;
            if (take("}")) return fields;
            do {
                need("\"");
                std::string key = string();
                need(":");
                fields.emplace_back(std::move(key), value(depth + 1));
            } while (take(","));
            need("}");
            return fields;
        }

        Array array(int depth) {
            Array items;
            if (take("]")) return items;
            do items.push_back(value(depth + 1));
            while (take(","));
            need("]");
            return items;
        }

        double number() {
            std::size_t end = std::min(text.find_first_not_of("+-.eE0123456789", at), text.size());
            std::string digits(text.substr(at, end - at));
            char* rest = nullptr;
            double number = std::strtod(digits.c_str(), &rest);
            if (digits.empty() || *rest) fail();
            at = end;
            return number;
        }

        /// A text after its first quote.
        std::string string() {
            std::string out;
            for (; next() != '"'; ++at) {
                if (at >= text.size()) fail();
                if (next() != '\\') {
                    out += next();
                } else {
                    ++at;
                    escape(out);
                }
            }
            ++at;
            return out;
        }

        /// What follows a backslash; stops at its last character.
        void escape(std::string& out) {
            static constexpr std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
            if (next() == 'u') {
                unsigned code = hex();
                if (code >= 0xD800 && code < 0xDC00 && text.substr(at + 1, 2) == "\\u") {
                    at += 2;
                    code = 0x10000 + ((code - 0xD800) << 10) + (hex() - 0xDC00);
                }
                put_utf8(out, code);
                return;
            }
            std::size_t known = next() ? names.find(next()) : names.npos;
            if (known == names.npos) fail();
            out += values[known];
        }

        unsigned hex() {
            unsigned code = 0;
            std::string_view digits = text.substr(std::min(at + 1, text.size()), 4);
            auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
            if (error != std::errc() || end != digits.data() + 4) fail();
            at += 4;
            return code;
        }

        static void put_utf8(std::string& out, unsigned code) {
            auto put = [&out](unsigned byte) { out += static_cast<char>(byte); };
            if (code < 0x80) {
                put(code);
            } else if (code < 0x800) {
                put(0xC0 | code >> 6);
                put(0x80 | (code & 0x3F));
            } else {
                if (code < 0x10000) {
                    put(0xE0 | code >> 12);
                } else {
                    put(0xF0 | code >> 18);
                    put(0x80 | (code >> 12 & 0x3F));
                }
                put(0x80 | (code >> 6 & 0x3F));
                put(0x80 | (code & 0x3F));
            }
        }
    };
};

/// A text as JSON.
inline std::string quote(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

#endif
