/** A password needs so many characters besides what anybody knows of its owner. */
const MOST_BESIDE = 5
const SHORTEST_WORD = 3
const PRODUCT = 'playhouse'

type Owner = { email: string; name: string }

/** Without accents and capital letters. */
const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** The parts of an address and a name, the longest first; the last label of a domain is nobody's. */
function ownWordsOf({ email, name }: Owner): string[] {
	const [local = '', domain = ''] = email.split('@')
	const known = `${local} ${domain.replace(/\.[^.]*$/, '')} ${name} ${PRODUCT}`
	const words = fold(known)
		.split(/[^\p{L}\p{N}]+/u)
		.filter((word) => word.length >= SHORTEST_WORD)
	return words.toSorted((a, b) => b.length - a.length)
}

/** Whether a password is little more than its owner's name or address: with a year behind it, or dots between. */
export function isMadeOfOwnWords(password: string, owner: Owner): boolean {
	let rest = fold(password).replaceAll(/[\s._+@-]/g, '')
	const whole = rest
	for (const word of ownWordsOf(owner)) rest = rest.replaceAll(word, '')
	return rest !== whole && rest.length <= MOST_BESIDE
}
