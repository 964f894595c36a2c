import { type CleanImage, cleanImage } from '../../platform/images/clean-image.ts'
import { AppError } from '../errors.ts'
import { readBytes } from './bytes-body.ts'

/** Reads an image and removes its metadata. All code that stores images takes only this type. */
export async function readImage(request: Request, maxBytes: number): Promise<CleanImage> {
	const image = cleanImage(await readBytes(request, maxBytes))
	if ('problem' in image) throw new AppError('validation', image.problem)
	return image
}
