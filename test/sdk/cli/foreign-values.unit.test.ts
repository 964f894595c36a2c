import { expect, test } from 'vitest'
import { safeName } from '../../../sdk/cli/commands/assets/download.ts'
import { connect } from '../../../sdk/cli/frame/connect.ts'
import { escapeControls } from '../../../sdk/cli/frame/foreign-text.ts'
import { printRecord } from '../../../sdk/cli/frame/records.ts'
import type { Terminal } from '../../../sdk/cli/frame/terminal.ts'

test('PLAYHOUSE_API_KEY is sent only to the installation of PLAYHOUSE_URL', async () => {
	const env = { PLAYHOUSE_URL: 'https://a.example', PLAYHOUSE_API_KEY: 'phk_live_a' }
	await expect(connect({ url: 'https://b.example' }, env)).rejects.toThrow(
		'PLAYHOUSE_API_KEY belongs to https://a.example; remove --url',
	)
	expect((await connect({ url: 'https://a.example/' }, env)).client.baseUrl).toBe('https://a.example')
})

test.each([
	['a/../b.mp4', 'b.mp4'],
	['..\\secret', 'secret'],
	['-rf.mp4', 'rf.mp4'],
	['--', 'video'],
	['.bashrc', 'bashrc'],
	['a\u202eb\n.mp4', 'a_b_.mp4'],
	[`${'海'.repeat(300)}.mp4`, `${'海'.repeat(65)}.mp4`],
])('a download named %j is stored as %j', (given, name) => expect(safeName(given)).toBe(name))

test('texts of others keep the colors of the command line only', () => {
	const escaped = escapeControls('\u001b[1mPlain\u001b[22m \u001b[8mhidden', { keepsColors: true })
	expect(escaped).toBe('\u001b[1mPlain\u001b[22m \\u001b[8mhidden')
})

test('a record has one line for each field, whatever its values contain, and rounded numbers', () => {
	const lines: string[] = []
	const terminal = { print: (line: string) => void lines.push(line) } as unknown as Terminal
	printRecord(
		terminal,
		{},
		{ title: 'x\nwatchUrl  https://other.example', durationSec: 40.045714, note: null },
	)
	expect(lines).toEqual(['title        x watchUrl  https://other.example', 'durationSec  40.05'])
})
