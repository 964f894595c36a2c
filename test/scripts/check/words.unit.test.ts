// biome-ignore-all lint/suspicious/noTemplateCurlyInString: samples of source code hold templates
import { expect, test } from 'vitest'
import { bannedWords, exceptions } from '../../../scripts/check/banned-words.ts'
import { splitSource } from '../../../scripts/check/source-text.ts'
import { findBannedWords } from '../../../scripts/check/words.ts'

const words = [
	{ forms: ['door', 'doors'], instead: 'stub' },
	{ forms: ['anew'], instead: 'again', textsOnly: true as const },
	{ forms: ['told'], instead: 'notified', namesOnly: true as const },
]
const find = (path: string, text: string) => findBannedWords([{ path, text }], words, [])
const kindsIn = (path: string, text: string) => find(path, text).map(({ kind, word }) => `${kind} ${word}`)

const openapi = (key: string) => JSON.stringify({ paths: { '/x': { get: { [key]: 'Open a door' } } } })

test.each([
	['a variable', 'edge/x.ts', 'const door = 1', 'name door'],
	['a part of a camelCase name', 'edge/x.ts', 'openDoorOf()', 'name door'],
	['a part of a constant', 'edge/x.ts', 'const MAX_DOORS = 1', 'name doors'],
	['a type', 'edge/x.ts', 'type FrontDoor = string', 'name door'],
	['an expression in a template', 'edge/x.ts', 'const x = `a ${b(`c ${door}`)} d`', 'name door'],
	['a file name', 'edge/http/fleet-door.ts', '', 'name door'],
	['a folder of another type of file', 'docs/doors/x.svg', '', 'name doors'],
	['a column', 'schema/tables/x.ts', "export const x = text('door_id')", 'name door'],
	['a summary in OpenAPI', 'schema/openapi.json', openapi('summary'), 'text door'],
	['a description in OpenAPI', 'schema/openapi.json', openapi('description'), 'text door'],
	['an error', 'edge/x.ts', "throw new AppError('not_found', 'no such door')", 'text door'],
	['an error of a function', 'edge/x.ts', "throw forbiddenError('no such door')", 'text door'],
	['an error in a template', 'edge/x.ts', 'new SeedError(`${a(")")} has no door`)', 'text door'],
	['a log entry', 'edge/x.ts', "log.info('started anew', { id })", 'text anew'],
	['script output', 'scripts/x.ts', "console.log('the door')", 'text door'],
	['a help text', 'scripts/x.ts', 'const help = `Usage\n  --door N`', 'text door'],
	['a help text from a function', 'scripts/x.ts', 'const usage = (a: B): string => `door ${a}`', 'text door'],
	['a mail', 'edge/accounts/mail/templates.ts', "const subject = 'A door'", 'text door'],
	['a document', 'docs/x.md', '# X\n\nThe door.\n', 'text door'],
	['a name, if the word is banned in names only', 'edge/x.ts', 'const toldOf = 1', 'name told'],
])('finds a banned word in %s', (_, path, text, expected) => {
	expect(kindsIn(path, text)).toEqual([expected])
})

test.each([
	['a comment', 'edge/x.ts', '// a door\n/** A\n * door. */'],
	['a literal that no person reads', 'edge/x.ts', "const x = ['door', `door`]"],
	['a regular expression', 'edge/x.ts', 'const x = /door[\'"`]/.test(y)'],
	['a longer word', 'edge/x.ts', 'const outdoors = indoor'],
	['an import path', 'edge/x.ts', "import x from './door.ts'"],
	['a code block of a document', 'README.md', '```\ndoor\n```\n<!-- door -->'],
	['a field name in OpenAPI', 'schema/openapi.json', '{"properties":{"door":{}}}'],
	['a name, if the word is banned in texts only', 'edge/x.ts', 'const isAnew = true'],
	['a text, if the word is banned in names only', 'docs/x.md', '# X\n\nYou are told.\n'],
	['a file that is not text', 'docs/x.png', 'door'],
])('accepts a banned word in %s', (_, path, text) => {
	expect(find(path, text)).toEqual([])
})

test('the check of words reports file, line, excerpt and replacement, and a repeated name once', () => {
	const text = "\nconst door = 1\ndoor()\nnew AppError('x', 'the door is shut')"
	expect(find('edge/x.ts', text)).toEqual([
		{ file: 'edge/x.ts', line: 2, word: 'door', kind: 'name', found: 'door', instead: 'stub' },
		{ file: 'edge/x.ts', line: 4, word: 'door', kind: 'text', found: 'the door is shut', instead: 'stub' },
	])
})

test('the check of words allows one word below one path by an exception', () => {
	const files = ['a/x.ts', 'b/x.ts'].map((path) => ({ path, text: 'const door = doors' }))
	const found = findBannedWords(files, words, [{ path: 'a/', word: 'door', reason: 'a test' }])
	expect(found.map(({ file, word }) => `${file} ${word}`)).toEqual([
		'a/x.ts doors',
		'b/x.ts door',
		'b/x.ts doors',
	])
})

test('the list of banned words has lower-case words, each once, and a reason for every exception', () => {
	const forms = bannedWords.flatMap((word) => word.forms)
	expect(forms.filter((form) => !/^[a-z]+$/.test(form))).toEqual([])
	expect(new Set(forms).size).toBe(forms.length)
	for (const { word, reason } of exceptions)
		expect([forms.includes(word), reason]).toEqual([true, reason || '?'])
})

test('splitSource separates code from literals at the same offsets', () => {
	const source = "a('x') / b / `y${c({ d: `z` })}w` // e"
	const { code, literals } = splitSource(source)
	expect(code).toBe('a(   ) / b /     c({ d:     })        ')
	expect(literals.map(({ text }) => text)).toEqual(['x', 'y w', 'z'])
	expect(literals.map(({ start }) => source[start])).toEqual(["'", '`', '`'])
})
