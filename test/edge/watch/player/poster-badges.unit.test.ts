import { describe, expect, test } from 'vitest'
import { listPosterBadges } from '../../../../edge/watch/player/poster-badges.ts'

const PATH = '/media/x/master.m3u8'
const badges = (durationSec: number, master?: string) =>
	listPosterBadges({
		durationSec,
		manifestPath: PATH,
		files: master === undefined ? {} : { [PATH]: { text: master } },
	})

describe('the badges of a poster', () => {
	test.each([
		['1280x720', ['HD', '1:05']],
		['720x1280', ['HD', '1:05']],
		['640x360', ['1:05']],
		['406x720', ['1:05']],
	])('a rendition of %s has the badges %j', (resolution, expected) => {
		const variants = ['426x240', resolution].map(
			(each) => `#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=${each}\nx.m3u8\n`,
		)
		expect(badges(65, `#EXTM3U\n${variants.join('')}`)).toEqual(expected)
	})

	test('a poster says whether there are captions, and shows no length before it is known', () => {
		expect(badges(0, '#EXTM3U\n#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="c"\n')).toEqual(['CC'])
	})

	test('a poster shows the length alone if the page has no master playlist', () => {
		expect(badges(3_725)).toEqual(['1:02:05'])
	})
})
