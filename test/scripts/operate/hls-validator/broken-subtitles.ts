import { addSubtitleTracks } from '../../../../edge/ai/subtitles/hls/master-tracks.ts'
import {
	readCues,
	writeSubtitlePlaylist,
	writeSubtitleSegment,
} from '../../../../edge/ai/subtitles/hls/segments.ts'
import { type BrokenPlaylist, master } from './broken-playlists.ts'
import type { Served } from './served.ts'

const MAP = 'X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:90000'
const SUBTITLES = `WEBVTT

00:00:01.000 --> 00:00:06.000
In two segments

00:00:02.000 --> 00:00:03.000
In the first

00:00:09.000 --> 00:00:10.000
In the third
`

/** Adds subtitles as the edge does, and then changes each file. */
export const subtitles = (
	served: Served,
	{
		media = (line: string) => line,
		segment = (text: string, _index: number) => text,
	}: { media?: (line: string) => string; segment?: (text: string, index: number) => string } = {},
) => {
	const track = { language: 'en', name: 'English', key: '', source: 'transcript' } as const
	served.edit(master, (text) =>
		addSubtitleTracks(text, [track]).replace(/#EXT-X-MEDIA:TYPE=SUBTITLES.*/, (line) => media(line)),
	)
	const [, pictures = ''] = /URI="subtitles\/en\/([\w-]+)\.m3u8"/.exec(served.text(master)) ?? []
	const playlist = served.text(`${pictures}.m3u8`)
	served.files.set(`subtitles/en/${pictures}.m3u8`, Buffer.from(writeSubtitlePlaylist(playlist, pictures)))
	for (let index = 0; ; index++) {
		const text = writeSubtitleSegment(playlist, readCues(SUBTITLES), index)
		if (text === null) return
		served.files.set(`subtitles/en/${pictures}/${index}.vtt`, Buffer.from(segment(text, index)))
	}
}
const withSegments = (change: (text: string, index: number) => string) => (served: Served) => {
	let isChanged = false
	subtitles(served, {
		segment(text, index) {
			const changed = change(text.replace(/^X-TIMESTAMP.*$/m, MAP), index)
			isChanged ||= changed !== text.replace(/^X-TIMESTAMP.*$/m, MAP)
			return changed
		},
	})
	if (!isChanged) throw new Error('no segment is changed')
}
const withTrack = (from: string, to: string) => (served: Served) =>
	subtitles(served, {
		media(line) {
			if (!line.includes(from)) throw new Error(`no ${from}`)
			return line.replace(from, to)
		},
	})
const sdh = 'public.accessibility.transcribes-spoken-dialog'

export const brokenSubtitles: readonly BrokenPlaylist[] = [
	['4.6', 'sounds without the dialog', withTrack(sdh, 'public.accessibility.describes-music-and-sound')],
	['4.6', 'a characteristic of another name', withTrack(sdh, 'public.accessibility.describes-spoken-dialog')],
	['4.6', 'a characteristic without AUTOSELECT', withTrack('AUTOSELECT=YES', 'AUTOSELECT=NO')],
	['4.7', 'subtitles without LANGUAGE', withTrack('LANGUAGE="en",', '')],
	['RFC 8216', 'an unknown group of subtitles', withTrack('GROUP-ID="subtitles"', 'GROUP-ID="s"')],
	['5.3', 'segments without X-TIMESTAMP-MAP', withSegments((text) => text.replace(`${MAP}\n`, ''))],
	['5.3', 'a map without LOCAL', withSegments((text) => text.replace('LOCAL:00:00:00.000,', ''))],
	['5.3 start', 'subtitles a second early', withSegments((text) => text.replace(':90000', ':0'))],
	['5.3 start', 'subtitles nine seconds late', withSegments((text) => text.replace(':90000', ':900000'))],
	[
		'5.3 start',
		'one map that differs',
		withSegments((text, index) => (index === 1 ? text.replace('LOCAL:00:00:00', 'LOCAL:00:00:01') : text)),
	],
	[
		'RFC 8216 3.5',
		'a cue that is not repeated',
		withSegments((text, index) => (index === 1 ? text.replace(/\n\n00:00:01[\s\S]*/, '\n') : text)),
	],
	[
		'RFC 8216 3.5',
		'a cue that is repeated with another text',
		withSegments((text, index) => (index === 1 ? text.replace('In two', 'in two') : text)),
	],
	[
		'RFC 8216 3.5',
		'cues out of order',
		withSegments((text) => text.replace(/(00:00:01[\s\S]*?)\n\n(00:00:02[\s\S]*)/, '$2\n$1\n')),
	],
	[
		'RFC 8216 3.5',
		'a cue outside of its segment',
		withSegments((text, index) =>
			index === 2 ? text.replace(/00:00:09.*/, '00:00:15.000 --> 00:00:16.000') : text,
		),
	],
	[
		'RFC 8216 3.5',
		'a time with a comma',
		withSegments((text, index) => (index === 2 ? text.replace('00:00:09.000', '00:00:09,000') : text)),
	],
	[
		'5.5',
		'subtitles that cover half of the content',
		(served) => {
			subtitles(served)
			served.editAll(/^subtitles.*m3u8/, (text) =>
				text.replace(/(#EXTINF.*\n.*\n){3}#EXT-X-ENDLIST/, '#EXT-X-ENDLIST'),
			)
		},
	],
	[
		'5.5 groups',
		'a variant without subtitles',
		(served) => {
			subtitles(served)
			served.edit(master, (text) => text.replace(',SUBTITLES="subtitles"', ''))
		},
	],
	[
		'5.5 segments',
		'a segment that is shorter than that of the pictures',
		(served) => {
			subtitles(served)
			served.editAll(/^subtitles.*m3u8/, (text) => text.replace(/#EXTINF:[\d.]+/, '#EXTINF:3.9'))
		},
	],
	[
		'5.5 segments',
		'a segment too few',
		(served) => {
			subtitles(served)
			served.editAll(/^subtitles.*m3u8/, (text) =>
				text.replace(/#EXTINF.*\n.*\n#EXT-X-ENDLIST/, '#EXT-X-ENDLIST'),
			)
		},
	],
]
