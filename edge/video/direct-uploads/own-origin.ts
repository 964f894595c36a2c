import type { Deps } from '../../platform/deps.ts'
import { hashToken } from './direct-uploads.ts'
import { directUploadStore } from './store.ts'

/** Returns the origin of the page that may upload to the URL. */
export const findOwnOrigin: Deps['contributions']['findOwnOrigin'] = async ({ db }, path) => {
	const token = /^\/upload\/direct\/([0-9A-Za-z]{43})$/.exec(path)?.[1]
	if (token === undefined) return null
	const found = await directUploadStore(db).findByToken(await hashToken(token))
	return found?.upload.corsOrigin ?? null
}
