import * as contract from '#schema/contract/accounts/sign-in/passkeys.ts'
import { type Route, serve } from '../../../http/route.ts'
import { toIso, toIsoOrNull } from '../../../platform/clock.ts'
import { readOrigin } from '../origins/origin.ts'
import { type PasskeyRow, passkeyStore } from './passkey-store.ts'
import * as passkeys from './passkeys.ts'

const viewPasskey = ({ id, name, backedUp, createdAt, lastUsedAt }: PasskeyRow): contract.Passkey => ({
	id,
	name,
	backedUp,
	createdAt: toIso(createdAt),
	lastUsedAt: toIsoOrNull(lastUsedAt),
})

export const passkeyRoutes: Route[] = [
	serve(contract.createPasskeyOptions, async ({ deps, caller, request }) => ({
		data: { publicKey: await passkeys.buildRegistrationOptions(deps, caller, request) },
	})),

	serve(contract.createPasskey, async ({ deps, caller, body, request }) => {
		const { passkey, recoveryCodes } = await passkeys.addPasskey(deps, caller, body, request)
		return { data: { passkey: viewPasskey(passkey), recoveryCodes } }
	}),

	serve(contract.listPasskeys, async ({ deps, caller }) => ({
		data: (await passkeyStore(deps.db).list(caller.userId)).map(viewPasskey),
	})),

	serve(contract.updatePasskey, async ({ deps, caller, params, body }) => ({
		data: viewPasskey(await passkeys.renamePasskey(deps, caller, params.passkeyId, body.name)),
	})),

	serve(contract.deletePasskey, async ({ deps, caller, params }) => {
		await passkeys.deletePasskey(deps, caller, params.passkeyId)
		return { data: { id: params.passkeyId, deleted: true as const } }
	}),

	serve(contract.createSignInOptions, async ({ deps, request }) => ({
		data: { publicKey: await passkeys.buildSignInOptions(deps, request) },
	})),

	serve(contract.signInWithPasskey, async (input) => ({
		data: await passkeys.signInWithPasskey(input.deps, input.body.passkey, readOrigin(input)),
	})),
]
