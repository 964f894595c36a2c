import { z } from 'zod'
import { data } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { AssetParams, Thumbnail } from '../assets.ts'

const operation = describeOperations('Assets')

/** The longest source that any installation accepts is shorter. */
const MAX_SEC = 200_000

export const makeThumbnail = operation({
	id: 'makeThumbnail',
	method: 'post',
	path: '/v1/assets/{assetId}/thumbnail',
	summary: 'Make a custom thumbnail of the frame at a moment of the video',
	description:
		'A machine makes an image of the frame that is shown at `atSec`, in the size of the largest H.264 rendition. The earlier thumbnail stays until the image is stored; `thumbnailFrame` of the asset has the state. A later request, upload or removal of a thumbnail replaces a request that is `processing`. Repeating the last request changes nothing, unless it failed. Moving the asset to the trash ends the request. Returns 400 if the video has no such frame, and 409 until all renditions that playback needs are published.',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	whenSuspended: 'no new work',
	idempotencyKey: { needless: 'a repeated request for the same frame changes nothing' },
	params: AssetParams,
	body: z.object({ atSec: z.number().min(0).max(MAX_SEC) }),
	status: 202,
	response: data(Thumbnail),
	errors: ['validation', 'not_found', 'conflict'],
})
