CREATE TABLE `billing_trials` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`offered_at` integer NOT NULL,
	`used_at` integer
);
