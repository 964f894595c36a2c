import { expect, test } from 'vitest'
import { viewShareLinks } from '../../../../../edge/watch/player/sharing/share-links.ts'

const shared = {
	row: { playbackId: 'abc', title: 'A film', visibility: 'public' as const },
	base: 'https://watch.example.org',
	size: { width: 640, height: 360 },
	linkParameters: { t: '7', color: 'ff0000' },
}

test.each(['embed', 'watch'] as const)(
	'the %s page shares the address of the watch page without a start',
	(kind) => {
		const links = viewShareLinks({ ...shared, kind })
		expect(links?.watchUrl).toBe('https://watch.example.org/watch/abc?color=ff0000')
		expect(links?.embedSnippet).toContain('src="https://watch.example.org/embed/abc?color=ff0000"')
	},
)

test('the links of a signed video have no code for other pages, and an embedded signed video has no links', () => {
	const row = { ...shared.row, visibility: 'signed' as const }
	expect(viewShareLinks({ ...shared, kind: 'watch', row })?.embedSnippet).toBeNull()
	expect(viewShareLinks({ ...shared, kind: 'embed', row })).toBeNull()
})
