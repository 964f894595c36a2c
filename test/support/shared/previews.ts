/** What the header `Link` of a public record leads to, by type. */
export function previewsIn(link: string | null): { animation: string; storyboard: string } {
	const addresses = new Map(
		[...(link ?? '').matchAll(/<([^>]+)>; rel="preview"; type="([^"]+)"/g)].map(([, url, type]) => [
			type,
			url,
		]),
	)
	return { animation: addresses.get('image/webp') ?? '', storyboard: addresses.get('text/vtt') ?? '' }
}
