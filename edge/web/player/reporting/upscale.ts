type Box = { clientWidth: number; clientHeight: number }
type Size = { width: number; height: number }

/** Returns how far a picture is enlarged to fit into a box: 0 for its own size or less, 1 for twice that. */
export function computeUpscale(
	{ clientWidth, clientHeight }: Box,
	{ width, height }: Size,
	pixelRatio = devicePixelRatio,
): number {
	const scale = Math.min(clientWidth / width, clientHeight / height) * pixelRatio
	// Audio has no size.
	return width > 0 && scale > 1 ? scale - 1 : 0
}
