/** A password with at most this many characters besides the owner's name and address is too easy to guess. */
const MAX_OTHER_CHARACTERS = 5
const MIN_WORD_LENGTH = 3
const PRODUCT = 'playhouse'

type Owner = { email: string; name: string }

/** Strips accents and lower-cases. */
const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Returns the words of an address and a name, longest first, without the top-level domain. */
function ownWordsOf({ email, name }: Owner): string[] {
	const [local = '', domain = ''] = email.split('@')
	const known = `${local} ${domain.replace(/\.[^.]*$/, '')} ${name} ${PRODUCT}`
	const words = fold(known)
		.split(/[^\p{L}\p{N}]+/u)
		.filter((word) => word.length >= MIN_WORD_LENGTH)
	return words.toSorted((a, b) => b.length - a.length)
}

/** Returns true if a password is little more than its owner's name or address, such as the name and a year. */
export function isMadeOfOwnWords(password: string, owner: Owner): boolean {
	let rest = fold(password).replaceAll(/[\s._+@-]/g, '')
	const whole = rest
	for (const word of ownWordsOf(owner)) rest = rest.replaceAll(word, '')
	return rest !== whole && rest.length <= MAX_OTHER_CHARACTERS
}
