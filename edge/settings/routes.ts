import { getEncodingSettings, updateEncodingSettings } from '#schema/contract/platform/settings.ts'
import { type Route, serve } from '../http/route.ts'
import { changeEncoding, readEncoding } from './encoding.ts'

export const settingsRoutes: Route[] = [
	serve(getEncodingSettings, async ({ deps, caller }) => ({ data: await readEncoding(deps, caller.org.id) })),

	serve(updateEncodingSettings, async ({ deps, caller, body }) => ({
		data: await changeEncoding(deps, caller.org.id, body),
	})),
]
