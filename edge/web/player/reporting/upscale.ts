type Size = { width: number; height: number }

/** Returns how far a picture is enlarged to fit into a box: 0 for its own size or less, 1 for twice that. */
export function upscaleIn(box: Size, picture: Size): number {
	if (picture.width <= 0 || picture.height <= 0) return 0
	return Math.max(0, Math.min(box.width / picture.width, box.height / picture.height) - 1)
}

/** Compares the pixels of the screen that a video covers with those of the quality that is shown. */
export function upscaleOf({ clientWidth, clientHeight }: HTMLElement, picture: Size): number {
	const box = { width: clientWidth * devicePixelRatio, height: clientHeight * devicePixelRatio }
	return upscaleIn(box, picture)
}
