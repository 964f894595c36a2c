/** @module-tag d1 */
import { expect, test } from 'vitest'
import { switchOrg } from '#schema/contract/accounts/identity.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { openWorld, type World } from '../../support/edge/world.ts'
import { type Answer, askEverything } from './ask-everything.ts'

const roles = ['admin', 'member'] as const
type Refusal = 'needs a role' | 'needs a superadmin' | 'none'

function refusalOf({ code, text }: Answer): Refusal {
	if (code !== 'forbidden') return 'none'
	if (text.includes('this operation needs the role admin or owner')) return 'needs a role'
	return text.includes('for superadmins only') ? 'needs a superadmin' : 'none'
}

/** What the contract says about a person with this role who is no superadmin. */
function expectedOf({ auth }: Operation, role: (typeof roles)[number]): Refusal {
	if (auth === 'superadmin') return 'needs a superadmin'
	return role === 'member' && ['admin', 'org-admin-person'].includes(auth) ? 'needs a role' : 'none'
}

async function tokenWithRole(world: World, orgId: string, role: string): Promise<string> {
	const person = await world.person()
	await world.deps(({ db }) =>
		db.all(`insert into org_members values ('${orgId}', ${person.userId}, '${role}', 0) returning 1`),
	)
	return (await world.ask(switchOrg, { body: { orgId } }, person)).ok.data.token
}

test.each(roles)(
	'a person with the role %s reaches exactly the operations that the contract allows',
	async (role) => {
		const world = await openWorld()
		const { orgId } = await world.person()
		const answers = await askEverything(world, orgId, await tokenWithRole(world, orgId, role))
		for (const answer of answers)
			expect([answer.op.id, refusalOf(answer)]).toEqual([answer.op.id, expectedOf(answer.op, role)])
	},
)
