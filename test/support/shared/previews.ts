/** The URLs in the `Link` header of a public playback record, by type. */
export function previewsIn(link: string | null): { animation: string; storyboard: string } {
	const urls = new Map(
		[...(link ?? '').matchAll(/<([^>]+)>; rel="preview"; type="([^"]+)"/g)].map(([, url, type]) => [
			type,
			url,
		]),
	)
	return { animation: urls.get('image/webp') ?? '', storyboard: urls.get('text/vtt') ?? '' }
}
