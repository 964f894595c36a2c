import { sha256 } from '../../../platform/tokens/digest.ts'

const LONGEST_READ = 2_000
const LONGEST_KEPT = 300

/** The variable parts of messages about the same problem. Order matters: a URL contains a path and numbers. */
const variable: readonly [pattern: RegExp, name: string][] = [
	[/https?:\/\/[^\s"'<>]+/gi, '<url>'],
	[/[^\s@<>"']+@[^\s@<>"']+\.[a-z]+/gi, '<address>'],
	[/"[^"]*"|“[^”]*”|‘[^’]*’|`[^`]*`|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu, '<text>'],
	[/(?<![\p{L}\p{N}<])(?:[a-z]:)?(?:[/\\][^\s/\\:;,"'<>()]+){2,}/giu, '<path>'],
	[/\b[a-z]{3}_[0-9a-z]{26}\b/g, '<id>'],
	[/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
	[/\b(?:0x)?(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, '<hash>'],
	[/\b(?=[0-9A-Za-z]*\d)(?=[0-9A-Za-z]*[A-Za-z])[0-9A-Za-z]{20,}\b/g, '<id>'],
	[/(?<![\p{L}\p{N}])[-+]?\d+(?:[.,:]\d+)*/gu, '<n>'],
	[/\s+/g, ' '],
]

/** Normalizes messages about the same problem: replaces numbers, ids, paths, hashes and names. */
export const foldMessage = (message: string): string =>
	variable
		.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), message.slice(0, LONGEST_READ))
		.trim()
		.slice(0, LONGEST_KEPT)

export type ErrorGroup = { fingerprint: string; message: string }

export async function groupErrorMessage(message: string): Promise<ErrorGroup> {
	const folded = foldMessage(message)
	return { fingerprint: (await sha256(folded)).slice(0, 22), message: folded }
}
