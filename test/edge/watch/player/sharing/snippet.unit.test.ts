import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderIframeSnippet } from '../../../../../edge/watch/player/sharing/snippet.ts'
import { hostileText } from './hostile-text.ts'

const frame = {
	src: 'https://video.example.org/embed/abc?t=1&color=ff0000',
	title: 'Film',
	video: { width: 1080, height: 1920 },
	size: { width: 720, height: 1280 },
}

/** Reads the attributes as a browser does. Throws if the text is more than one iframe. */
function attributesOf(snippet: string): Map<string, string> {
	const [, list] = /^<iframe((?: [a-z]+(?:="[^"<>]*")?)+)><\/iframe>$/.exec(snippet) ?? []
	if (list === undefined) throw new Error(`not one iframe: ${snippet}`)
	const entities: Record<string, string> = {
		'&amp;': '&',
		'&lt;': '<',
		'&gt;': '>',
		'&quot;': '"',
		'&#39;': "'",
	}
	return new Map(
		[...list.matchAll(/ ([a-z]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
			name,
			value.replaceAll(/&(amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? ''),
		]),
	)
}

test('the snippet is an iframe with the true aspect ratio of the video', () => {
	expect(renderIframeSnippet(frame)).toBe(
		'<iframe src="https://video.example.org/embed/abc?t=1&amp;color=ff0000" title="Film" width="720" height="1280" ' +
			'style="aspect-ratio:1080/1920;width:100%;height:auto;border:0" loading="lazy" ' +
			'allow="autoplay; fullscreen; picture-in-picture; encrypted-media; web-share" allowfullscreen></iframe>',
	)
})

test('a bounded snippet never becomes wider than its size', () => {
	expect(attributesOf(renderIframeSnippet({ ...frame, isBounded: true })).get('style')).toBe(
		'aspect-ratio:1080/1920;width:100%;max-width:720px;height:auto;border:0',
	)
})

test('no title and no address can add an attribute or an element', () => {
	fc.assert(
		fc.property(hostileText, hostileText, (title, query) => {
			const src = `https://video.example.org/embed/abc?${query}`
			const attributes = attributesOf(renderIframeSnippet({ ...frame, title, src }))
			expect([attributes.get('title'), attributes.get('src'), attributes.size]).toEqual([title, src, 8])
		}),
	)
})
