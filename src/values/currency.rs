//! The names of currencies: ISO 4217, signs, short names and words.

use super::number::{Figure, is_one_of};

/// The codes of ISO 4217 in use, and few that were until lately. Case counts: several are words.
pub(super) const CODES: [&str; 181] = [
    "AED", "AFN", "ALL", "AMD", "ANG", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BGN", "BHD", "BIF",
    "BMD", "BND", "BOB", "BOV", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHE", "CHF", "CHW", "CLF",
    "CLP", "CNH", "CNY", "COP", "COU", "CRC", "CUC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN",
    "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HRK", "HTG",
    "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW",
    "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP",
    "MRU", "MUR", "MVR", "MWK", "MXN", "MXV", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB",
    "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RMB", "RON", "RSD", "RUB", "RWF", "SAR", "SBD", "SCR", "SDG",
    "SEK", "SGD", "SHP", "SLE", "SLL", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "THB", "TJS", "TMT", "TND",
    "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "USN", "UYI", "UYU", "UYW", "UZS", "VED", "VES", "VND",
    "VUV", "WST", "XAF", "XAG", "XAU", "XBA", "XCD", "XCG", "XDR", "XOF", "XPD", "XPF", "XPT", "XSU", "XUA", "YER",
    "ZAR", "ZMW", "ZWG", "ZWL", "ZZZ",
];

/// Codes that are no word in any case.
pub(super) const PLAIN_CODES: [&str; 24] = [
    "aed", "aud", "brl", "chf", "cny", "czk", "dkk", "eur", "gbp", "hkd", "huf", "inr", "jpy", "krw", "kwd", "mxn",
    "myr", "nok", "nzd", "pln", "sgd", "usd", "zar", "zmw",
];

/// Currencies as words. `won` and `real` are words of their own.
pub(super) const NAMES: [&str; 56] = [
    "buck",
    "bucks",
    "cent",
    "cents",
    "crowns",
    "dinar",
    "dinars",
    "dirham",
    "dirhams",
    "dollar",
    "dollars",
    "dong",
    "dólares",
    "euro",
    "euros",
    "forint",
    "franc",
    "francs",
    "franken",
    "krona",
    "krone",
    "kronen",
    "kroner",
    "kronor",
    "lira",
    "liras",
    "livres",
    "naira",
    "pence",
    "penny",
    "peso",
    "pesos",
    "pfund",
    "pound",
    "pounds",
    "quid",
    "reais",
    "renminbi",
    "ringgit",
    "riyals",
    "rouble",
    "roubles",
    "rubles",
    "rupee",
    "rupees",
    "satoshis",
    "sats",
    "shekels",
    "shillings",
    "yen",
    "yuan",
    "ευρώ",
    "евро",
    "рублей",
    "рубль",
    "рубля",
];

/// Words that stand in front of a figure too: `Euro 450`.
pub(super) const NAMES_BEFORE: [&str; 13] = [
    "dollars", "euro", "euros", "francs", "franken", "naira", "pesos", "pounds", "reais", "ringgit", "rupees", "yen",
    "yuan",
];

/// Short names that stand behind figures.
pub(super) const SHORT_NAMES: [&str; 11] = ["kr", "kč", "lei", "leu", "rub", "zl", "zł", "грн", "лв", "р", "руб"];

/// Signs as HTML writes them.
pub(super) const ENTITIES: [&str; 12] = [
    "&euro;", "&pound;", "&yen;", "&cent;", "&dollar;", "&#8364;", "&#x20ac;", "&#x20AC;", "&#163;", "&#xa3;", "&#36;",
    "&#x24;",
];

/// What stands between a figure and what it counts: `2.5 million euros`, `45 US dollars`.
pub(super) const MAGNITUDES: [&str; 19] = [
    "australian",
    "bn",
    "british",
    "canadian",
    "hundred",
    "k",
    "lakh",
    "m",
    "million",
    "millionen",
    "millions",
    "mio",
    "new",
    "singapore",
    "swiss",
    "thousand",
    "tsd",
    "us",
    "тыс",
];

/// Coins, and short names that are written like codes.
const COINS: [&str; 7] = ["BTC", "ETH", "KSh", "KShs", "SOL", "USDC", "USDT"];

/// Whether a word is a code that may stand beside this figure.
pub(super) fn is_code(word: &str, figure: Figure) -> bool {
    let is_listed = (word.len() == 3 && CODES.binary_search(&word).is_ok()) || is_one_of(word, &PLAIN_CODES);
    let is_listed = is_listed || COINS.contains(&word);
    is_listed && figure.fits(least_digits(word))
}

/// How many digits a figure has beside a code that means something else as well. More than any has:
/// it has to be written as money, as `1,200` or `12.50`.
fn least_digits(code: &str) -> usize {
    match code {
        "ALL" | "AMD" | "CHE" | "CUP" | "GEL" | "MOP" | "SDG" | "SOS" | "TOP" => usize::MAX,
        "BAM" | "BOB" | "COP" | "LAK" | "NAD" | "NIO" | "PEN" | "RON" | "SAR" | "SCR" | "SHP" | "SLE" | "SSP"
        | "STN" | "TRY" | "XAG" | "XAU" => 3,
        "CAD" | "ERN" | "ILS" | "INR" | "inr" | "Inr" | "MAD" | "MUR" | "PHP" => 2,
        _ => 1,
    }
}

pub(super) fn is_sign(character: char) -> bool {
    matches!(character, '$' | '\u{a2}'..='\u{a5}' | '\u{58f}' | '\u{60b}' | '\u{9f2}' | '\u{9f3}' | '\u{e3f}' | '\u{17db}'
        | '\u{20a0}'..='\u{20cf}' | '\u{fdfc}')
}

/// Currencies that words follow without a space.
const EAST_ASIAN_NAMES: [&str; 10] =
    ["ドル", "ユーロ", "ウォン", "달러", "유로", "美元", "美金", "欧元", "歐元", "港元"];

/// The bytes of `円`, `万元`, `천 원` in front of a text. `is_close`: nothing stands between it and
/// the figure, so letters may follow.
pub(super) fn east_asian_unit(text: &str, is_close: bool) -> Option<usize> {
    let rest = text.trim_start_matches(['万', '千', '百', '億', '亿', '萬', '만', '천', '백', '억']);
    if let Some(name) = EAST_ASIAN_NAMES.iter().find(|name| rest.starts_with(**name)) {
        // "ドルフィン" is a dolphin.
        let goes_on = rest.get(name.len()..)?.starts_with(|next| matches!(next, '\u{30a1}'..='\u{30fa}' | '\u{30fc}'));
        return (!goes_on).then_some(text.len() - rest.len() + name.len());
    }
    let unit = rest.chars().next().filter(|unit| matches!(unit, '円' | '元' | '원' | '圆' | '圓' | '块' | '塊'))?;
    let next = rest.get(unit.len_utf8()..)?.chars().next();
    let is_word = next.is_some_and(|next| matches!(next, '素' | '化' | '論' | '论' | '形' | '칙' | '인' | '소'));
    let is_alone = is_close || next.is_none_or(|next| !next.is_alphabetic());
    (is_alone && !is_word).then_some(text.len() - rest.len() + unit.len_utf8())
}
