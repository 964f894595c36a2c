import { expect, test } from 'vitest'
import type { ProfileValue } from '#schema/contract/community/member/members.ts'
import { isValidValue } from '../../../../edge/community/members/profile-values.ts'

type FieldType = Parameters<typeof isValidValue>[0]['fieldType']
const table: [FieldType, good: ProfileValue[], bad: ProfileValue[]][] = [
	['text', ['x', 'x'.repeat(500)], ['', ' ', 'x'.repeat(501), 1, true, ['x']]],
	['textarea', ['a\nb', 'x'.repeat(5_000)], ['', 'x'.repeat(5_001), 1]],
	['number', [0, -1.5], ['1', true, []]],
	['checkbox', [true, false], ['true', 1]],
	['date', ['2026-02-28', '2024-02-29'], ['2026-02-30', '2026-2-1', '2026-02-28T00:00:00Z', 20260228]],
	[
		'url',
		['https://a.example/x?y', 'http://a.example'],
		[
			'a.example',
			'javascript:alert(1)',
			'ftp://a.example',
			1,
			'https://a.example/\u000b',
			'https://a.example/\nx',
			'https://a.example/\u2028',
		],
	],
	['select', ['x', 'y'], ['z', '', ['x']]],
	['multi_select', [['x'], ['y', 'x']], [[], ['z'], ['x', 'x'], 'x']],
]

test.each(table)('validates values of a %s profile field', (fieldType, good, bad) => {
	const field = { fieldType, options: ['x', 'y'] }
	expect(good.map((value) => isValidValue(field, value))).toEqual(good.map(() => true))
	expect(bad.map((value) => isValidValue(field, value))).toEqual(bad.map(() => false))
})
