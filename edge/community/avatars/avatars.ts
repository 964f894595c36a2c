import type { ImageWidth } from '#schema/contract/kit/queries/image-width.ts'
import { attemptCounter } from '../../accounts/attempts/attempt-counter.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { DAY, HOUR } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import type { CleanImage } from '../../platform/images/clean-image.ts'
import { answerWithImage } from '../../platform/images/image-variants.ts'
import { buildUrl } from '../../platform/network/header-values.ts'
import { withdrawObject } from '../../platform/storage/announced-objects.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { prepareImage } from '../images/storable-image.ts'
import { findProfile } from '../members/members.ts'
import type { ProfileRow } from '../members/store.ts'
import { avatarStore } from './store.ts'

const UPLOADS_PER_PERSON = { name: 'avatar', limit: 30, windowMs: DAY }

const membershipRequiredError = () =>
	new AppError('forbidden', 'you are not an active member of this community')

/**
 * Stores an avatar and returns the profile with it. `base` is the public URL of the API. The avatar URL needs no
 * credential, so an `<img>` can load it.
 */
export async function setAvatar(
	deps: Deps,
	viewer: Viewer,
	base: string,
	read: () => Promise<CleanImage>,
): Promise<ProfileRow> {
	const { db, now, objects } = deps
	await attemptCounter(db, requireSecrets(deps, 'avatars'), now).count([
		{ rule: UPLOADS_PER_PERSON, subject: String(viewer.userId) },
	])
	const {
		objectKey: key,
		file,
		contentType,
		bytes,
	} = prepareImage(viewer.communityId, 'avatars', await read())
	const member = String(viewer.membershipId)
	const url = buildUrl(base, ['api', 'headless', 'v1', 'community_members', member, 'avatar', file])
	const store = avatarStore(db)
	if (!(await store.announce(viewer, key, now + HOUR))) throw membershipRequiredError()
	await objects.vault.put(key, bytes, { contentType })
	if (!(await store.set(viewer, { key, url }))) {
		await withdrawObject(deps, 'vault', key)
		throw membershipRequiredError()
	}
	deps.defer(queuePurges(deps))
	return findProfile(deps, viewer, viewer.membershipId)
}

export async function serveAvatar(
	deps: Deps,
	{ memberId, file, width }: { memberId: number; file: string; width: ImageWidth | undefined },
	request: Request,
): Promise<Response> {
	const key = await avatarStore(deps.db).findKey(memberId)
	const headers = { 'cache-control': 'public, max-age=300' }
	const response = key?.endsWith(`/${file}`)
		? await answerWithImage(deps, request, { bucket: deps.objects.vault, key, width }, headers)
		: null
	if (!response) throw notFoundError('avatar')
	return response
}
