CREATE TABLE `billing_trials` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`offered_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
INSERT INTO billing_trials (user_id, org_id, offered_at, used_at)
SELECT o.created_by_user_id, min(a.org_id), min(a.subscribed_at), min(a.subscribed_at)
FROM billing_accounts a JOIN orgs o ON o.id = a.org_id
WHERE a.subscribed_at IS NOT NULL AND o.created_by_user_id IS NOT NULL
GROUP BY o.created_by_user_id;
