import { expect, test } from 'vitest'
import { parseAttributes } from '../../../../scripts/operate/hls-validator/attributes.ts'
import { parsePlaylist } from '../../../../scripts/operate/hls-validator/playlist.ts'

const media = `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:4
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-MAP:URI="init.mp4",BYTERANGE="10@0"
#EXTINF:4.004,title
#EXT-X-BYTERANGE:100@10
all.mp4
#EXT-X-DISCONTINUITY
#EXTINF:3,
#EXT-X-BYTERANGE:50
all.mp4
#EXT-X-ENDLIST
`

const master = `#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",DEFAULT=YES,AUTOSELECT=YES,URI="a.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=100,CODECS="avc1.640028,mp4a.40.2",AUDIO="a"
v.m3u8
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=10,URI="i.m3u8"
`

test('the playlist parser reads init segment, byte range and duration of each segment', () => {
	expect(parsePlaylist(media)).toMatchObject({
		kind: 'media',
		targetDuration: 4,
		type: 'VOD',
		isEnded: true,
		problems: [],
		segments: [
			{
				uri: 'all.mp4',
				line: 8,
				duration: 4.004,
				byteRange: { offset: 10, length: 100 },
				isDiscontinuous: false,
			},
			{
				...{ uri: 'all.mp4', duration: 3, byteRange: { offset: 110, length: 50 }, isDiscontinuous: true },
				init: { uri: 'init.mp4', byteRange: { offset: 0, length: 10 } },
			},
		],
	})
})

test('the playlist parser reads variants, renditions and I-frame streams of a master playlist', () => {
	const parsed = parsePlaylist(master)
	if (parsed.kind !== 'master') throw new Error('no master')
	expect(parsed.problems).toEqual([])
	expect(parsed.variants.map(({ uri, line }) => [uri, line])).toEqual([['v.m3u8', 3]])
	expect(parsed.variants[0]?.attributes.get('CODECS')).toBe('avc1.640028,mp4a.40.2')
	expect(parsed.renditions[0]?.uri).toBe('a.m3u8')
	expect(parsed.iframes[0]?.uri).toBe('i.m3u8')
})

test('the playlist parser accepts comments, empty lines, unknown tags and CRLF line ends', () => {
	const text = media.replace('#EXTINF:3', '\n# note\n#EXT-X-NEW:1\n#EXTINF:3').replaceAll('\n', '\r\n')
	expect(parsePlaylist(text).problems).toEqual([])
})

test.each<[string, string, string | RegExp, string, RegExp]>([
	['no first line', media, '#EXTM3U\n', '', /does not begin with #EXTM3U/],
	['white space', media, 'all.mp4', ' all.mp4', /white space/],
	['a repeated tag', media, '#EXT-X-ENDLIST', '#EXT-X-ENDLIST\n#EXT-X-ENDLIST', /appears twice/],
	['no target', media, /#EXT-X-TARGET.*\n/, '', /TARGETDURATION is missing/],
	[
		'a target with a fraction',
		media,
		'DURATION:4',
		'DURATION:4.5',
		/TARGETDURATION is missing or not a number/,
	],
	['no comma', media, '4.004,title', '4.004', /#EXTINF is not a number/],
	['no duration', media, '#EXTINF:3,\n', '', /without #EXTINF/],
	['no URI', media, /all\.mp4\n#EXT-X-ENDLIST/, '#EXT-X-ENDLIST', /not followed by a URI/],
	['a byte range without offset', media, '100@10', '100', /has no offset/],
	['a byte range that is not a number', media, '100@10', 'all', /not a byte range/],
	['no segment', media, /#EXTINF[\s\S]*all\.mp4\n/, '', /no segments/],
	['fractions in version 2', media, 'VERSION:7', 'VERSION:2', /needs #EXT-X-VERSION:3/],
	['ranges in version 3', media, 'VERSION:7', 'VERSION:3', /needs #EXT-X-VERSION:4/],
	['headers in version 5', media, 'VERSION:7', 'VERSION:5', /needs #EXT-X-VERSION:6/],
	['a variant without BANDWIDTH', master, 'BANDWIDTH=100,', '', /BANDWIDTH is missing/],
	['a repeated attribute', master, 'BANDWIDTH=100', 'BANDWIDTH=100,BANDWIDTH=1', /BANDWIDTH appears twice/],
	['a bit rate with a fraction', master, '=100', '=100.5', /BANDWIDTH has the invalid value 100.5/],
	['a string without quotes', master, '"a.m3u8"', 'a.m3u8', /URI has the invalid value a.m3u8/],
	['an unknown group', master, 'AUDIO="a"', 'AUDIO="b"', /unknown AUDIO group b/],
	['a variant without URI', master, 'v.m3u8\n', '', /not followed by a URI/],
	['a URI without variant', master, /#EXT-X-STREAM.*\n/, '', /without #EXT-X-STREAM-INF/],
	['a segment in a master', master, 'v.m3u8\n', 'v.m3u8\n#EXTINF:4,\n', /not allowed in a master playlist/],
	[
		'two renditions with the same name',
		master,
		/(#EXT-X-MEDIA.*)\n/,
		'$1\n$1\n',
		/appears twice in its group/,
	],
	[
		'two defaults',
		master,
		/(#EXT-X-MEDIA.*)NAME="x"(.*)\n/,
		'$1NAME="x"$2\n$1NAME="y"$2\n',
		/second default/,
	],
	['a default without AUTOSELECT', master, 'SELECT=YES', 'SELECT=NO', /needs AUTOSELECT=YES/],
])('the playlist parser reports a playlist with this fault: %s', (_, text, from, to, message) => {
	const { problems } = parsePlaylist(text.replace(from, to))
	expect(problems.map((problem) => problem.message).join('\n')).toMatch(message)
})

test.each<[string, RegExp]>([
	['A=1,,B=2', /not an attribute list/],
	['A="x', /not an attribute list/],
	['a=1', /not an attribute list/],
	['A=1,', /ends with a comma/],
	['RESOLUTION=640*360', /RESOLUTION/],
	['DEFAULT=yes', /DEFAULT/],
])('the playlist parser rejects the attribute list %s', (text, message) => {
	const messages: string[] = []
	parseAttributes(text, (message) => messages.push(message))
	expect(messages.join('\n')).toMatch(message)
})
