import { receiveAiCallback } from '#schema/contract/ai/callback.ts'
import * as contract from '#schema/contract/ai/settings.ts'
import { type Route, serve } from '../../http/route.ts'
import { receiveCallback } from './callbacks/receive.ts'
import { changeAiSettings, readAiSettings } from './settings/ai-settings.ts'
import { testProvider } from './settings/test-provider.ts'

export const aiProviderRoutes: Route[] = [
	serve(contract.getAiSettings, async ({ deps, caller }) => ({
		data: await readAiSettings(deps, caller.org.id),
	})),

	serve(contract.updateAiSettings, async ({ deps, caller, body }) => ({
		data: await changeAiSettings(deps, caller.org.id, body),
	})),

	serve(contract.testAiSettings, async ({ deps, caller, body }) => ({
		data: await testProvider(deps, caller.org.id, body),
	})),

	serve(receiveAiCallback, async ({ deps, query, request, markExisting }) => {
		const receipt = await receiveCallback(deps, query, request)
		if (receipt !== 'accepted') markExisting()
		return { ignored: receipt === 'ignored' }
	}),
]
