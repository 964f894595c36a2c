import * as logo from '#schema/contract/watch/settings/logo.ts'
import { getPublicSettings as publicSettings } from '#schema/contract/watch/settings/public-settings.ts'
import * as contract from '#schema/contract/watch/settings/settings.ts'
import { getOrg } from '../../accounts/orgs/orgs.ts'
import { readImage } from '../../http/body/image-body.ts'
import { type Route, serve } from '../../http/route.ts'
import { apiBase } from '../../platform/env.ts'
import { changeEncoding, readEncoding } from './encoding.ts'
import { serveLogo, setLogo } from './logo.ts'
import { changeSettings, getPublicSettings } from './settings.ts'
import { viewPublicSettings, viewSettings } from './view.ts'

export const settingsRoutes: Route[] = [
	serve(contract.getSettings, async ({ deps, caller, request }) => ({
		data: viewSettings(await getOrg(deps, caller.org.id), apiBase(deps.env, request)),
	})),

	serve(contract.updateSettings, async ({ deps, caller, body, request }) => ({
		data: viewSettings(await changeSettings(deps, caller.org.id, body), apiBase(deps.env, request)),
	})),

	serve(publicSettings, async ({ deps, query, request }) => ({
		data: viewPublicSettings(
			await getPublicSettings(deps, query),
			apiBase(deps.env, request),
			deps.env.ownOrigins,
		),
	})),

	serve(contract.getEncodingSettings, async ({ deps, caller }) => ({
		data: await readEncoding(deps, caller.org.id),
	})),

	serve(contract.updateEncodingSettings, async ({ deps, caller, body }) => ({
		data: await changeEncoding(deps, caller.org.id, body),
	})),

	serve(logo.setLogo, async ({ deps, caller, request }) => {
		const image = await readImage(request, logo.MAX_LOGO_BYTES)
		return { data: viewSettings(await setLogo(deps, caller.org.id, image), apiBase(deps.env, request)) }
	}),

	serve(logo.deleteLogo, async ({ deps, caller, request }) => {
		const org = await changeSettings(deps, caller.org.id, { logoUrl: null })
		return { data: viewSettings(org, apiBase(deps.env, request)) }
	}),

	serve(logo.getLogo, ({ deps, params, request }) => serveLogo(deps, params.logoFile, request)),
]
