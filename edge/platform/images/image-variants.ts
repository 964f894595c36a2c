import type { ImageWidth } from '#schema/contract/kit/queries/image-width.ts'
import type { Deps } from '../deps.ts'
import type { Bucket, ObjectHead } from '../storage/bucket.ts'
import { answerWithBytes, answerWithObject } from '../storage/object-response.ts'
import { isAnimated } from './animation.ts'
import { readImageSize } from './image-type.ts'
import { formatVariantKey } from './variant-keys.ts'

/** All images that people upload, and posters of usual videos, are smaller. */
const MAX_INPUT_BYTES = 12 * 1024 ** 2
const QUALITY = 80

/** An image in a bucket, and the width of the requested variant; undefined for the original. */
export type ImageObject = { bucket: Bucket; key: string; width: ImageWidth | undefined }

type Answering = Pick<Deps, 'env' | 'log'>

/**
 * Answers with an image, or with its variant. The first request for a variant makes and stores it; later ones read it once.
 * Returns null if there is no image.
 */
export async function answerWithImage(
	deps: Answering,
	request: Request,
	{ bucket, key, width }: ImageObject,
	labels: Record<string, string>,
): Promise<Response | null> {
	const binding = deps.env.bindings.IMAGES
	if (width === undefined) return answerWithObject(request, bucket, key, labels)
	if (!binding) {
		logOnce(deps, 'images are served in their original size: the binding IMAGES is missing')
		return answerWithObject(request, bucket, key, labels)
	}
	const variantKey = formatVariantKey(key, width)
	const stored = await answerWithObject(request, bucket, variantKey, labels)
	if (stored) return stored
	const original = await bucket.get(key)
	if (original.state !== 'found') return null
	if (original.object.sizeBytes > MAX_INPUT_BYTES) {
		await original.body.cancel()
		return answerWithObject(request, bucket, key, labels)
	}
	const bytes = new Uint8Array(await new Response(original.body).arrayBuffer())
	const made = canShrink(bytes, width) ? await shrink(deps, binding, bytes, width) : null
	const variant = made && (await store(bucket, key, variantKey, made))
	if (made && !variant) return null
	return answerWithBytes(
		request,
		variant ? { object: variant, bytes: made } : { object: original.object, bytes },
		labels,
	)
}

const canShrink = (bytes: Uint8Array, width: number): boolean =>
	(readImageSize(bytes)?.width ?? 0) > width && !isAnimated(bytes)

/** Returns null if the binding can't read the image, or fails. */
async function shrink(
	deps: Answering,
	binding: ImagesBinding,
	bytes: Uint8Array<ArrayBuffer>,
	width: ImageWidth,
): Promise<Uint8Array<ArrayBuffer> | null> {
	try {
		const { body } = new Response(bytes)
		if (!body) return null
		const output = await binding
			.input(body)
			.transform({ width, fit: 'scale-down' })
			.output({ format: 'image/webp', quality: QUALITY })
		return new Uint8Array(await output.response().arrayBuffer())
	} catch (error) {
		logOnce(deps, 'images are served in their original size: the binding IMAGES failed', error)
		return null
	}
}

/** Returns null if the original was deleted meanwhile, with the variants that existed then. */
async function store(
	bucket: Bucket,
	key: string,
	variantKey: string,
	bytes: Uint8Array<ArrayBuffer>,
): Promise<ObjectHead | null> {
	const variant = await bucket.put(variantKey, bytes, { contentType: 'image/webp' })
	if (await bucket.head(key)) return variant
	await bucket.delete(variantKey)
	return null
}

/** Which messages an environment has logged. It lives as long as the isolate. */
const logged = new WeakMap<object, Set<string>>()

function logOnce({ env, log }: Answering, message: string, error?: unknown): void {
	const messages = logged.get(env) ?? new Set()
	if (messages.has(message)) return
	logged.set(env, messages.add(message))
	log.warn(message, error === undefined ? {} : { reason: String(error) })
}
