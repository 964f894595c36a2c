import * as logo from '#schema/contract/watch/settings/logo.ts'
import { getPublicSettings as publicSettings } from '#schema/contract/watch/settings/public-settings.ts'
import * as contract from '#schema/contract/watch/settings/settings.ts'
import { getOrg } from '../../accounts/orgs/orgs.ts'
import { readImage } from '../../http/body/image-body.ts'
import { setEntityTag, updateMatching } from '../../http/entity-tag.ts'
import { type Route, serve } from '../../http/route.ts'
import { apiBase } from '../../platform/env.ts'
import { changeEncoding, viewEncoding } from './encoding.ts'
import { serveLogo, setLogo } from './logo.ts'
import { changeSettings, getPublicSettings } from './settings.ts'
import { readSettingsState, viewPublicSettings, viewSettings } from './view.ts'

export const settingsRoutes: Route[] = [
	serve(contract.getSettings, async ({ deps, caller, request, headers }) => {
		const org = await getOrg(deps, caller.org.id)
		await setEntityTag(headers, readSettingsState(org))
		return { data: viewSettings(org, apiBase(deps.env, request)) }
	}),

	serve(contract.updateSettings, async ({ deps, caller, body, request, headers }) => {
		const { id } = caller.org
		const org = await updateMatching(
			contract.updateSettings,
			{ request, headers },
			{
				read: () => getOrg(deps, id),
				toState: readSettingsState,
				update: (before) => changeSettings(deps, id, body, before),
			},
		)
		return { data: viewSettings(org, apiBase(deps.env, request)) }
	}),

	serve(publicSettings, async ({ deps, query, request }) => ({
		data: viewPublicSettings(
			await getPublicSettings(deps, query),
			apiBase(deps.env, request),
			deps.env.ownOrigins,
		),
	})),

	serve(contract.getEncodingSettings, async ({ deps, caller, headers }) => {
		const encoding = viewEncoding(await getOrg(deps, caller.org.id))
		await setEntityTag(headers, encoding)
		return { data: encoding }
	}),

	serve(contract.updateEncodingSettings, async ({ deps, caller, body, request, headers }) => {
		const { id } = caller.org
		const org = await updateMatching(
			contract.updateEncodingSettings,
			{ request, headers },
			{
				read: () => getOrg(deps, id),
				toState: viewEncoding,
				update: (before) => changeEncoding(deps, id, body, before),
			},
		)
		return { data: viewEncoding(org) }
	}),

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
