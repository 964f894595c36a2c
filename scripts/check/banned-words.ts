export type BannedWord = {
	/** All forms of the word, in lower case. */
	forms: readonly string[]
	/** What to write instead (docs/glossary.md). */
	instead: string
	/** Some words are banned in texts, but are accurate as names. */
	textsOnly?: true
	/** Other words are ordinary English in texts, but vague as names. */
	namesOnly?: true
}

/** Words that an earlier style of this code base used in place of the terms of the field. */
export const bannedWords: readonly BannedWord[] = [
	{ forms: ['door', 'doors'], instead: 'authenticator, stub, S3 API, dev proxy or endpoint' },
	{ forms: ['tell', 'tells', 'told'], instead: 'notify, report, print or return', namesOnly: true },
	{ forms: ['wish', 'wishes', 'wished'], instead: 'requested options' },
	{ forms: ['shop', 'workshop'], instead: 'deps' },
	{ forms: ['desk'], instead: 'session' },
	{ forms: ['mishap', 'mishaps'], instead: 'fault' },
	{ forms: ['fate', 'fates'], instead: 'outcome, or registry of personal data', namesOnly: true },
	{ forms: ['leaver', 'leavers'], instead: 'departing user' },
	{ forms: ['stranger', 'strangers'], instead: 'unknown or unauthorized caller' },
	{ forms: ['leftover', 'leftovers'], instead: 'prune, expired rows or remaining rows' },
	{ forms: ['news'], instead: 'notification, event or change' },
	{ forms: ['bell', 'bells'], instead: 'wakeup' },
	{ forms: ['struck'], instead: 'fault, occurred or affected' },
	{ forms: ['spoil', 'spoils', 'spoilt'], instead: 'break, broken or corrupt' },
	{ forms: ['rival', 'rivals'], instead: 'baseline' },
	{ forms: ['club', 'clubs'], instead: 'seed community' },
	{ forms: ['mend', 'mends', 'mended'], instead: 'fix' },
	{ forms: ['anew'], instead: 'again, or re-', textsOnly: true },
]

/** Allows one word in a file or below a folder. */
export type Exception = { path: string; word: string; reason: string }

const actor = 'an actor in tests: a person without account or membership'

export const exceptions: readonly Exception[] = [
	{ path: 'edge/community/communities/communities.ts', word: 'club', reason: 'club.example.org, an example' },
	{ path: 'test/edge/', word: 'stranger', reason: actor },
	{ path: 'test/edge/', word: 'strangers', reason: actor },
]
