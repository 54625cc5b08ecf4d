CREATE TABLE `shared_results` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`url` text NOT NULL,
	`json` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `shared_results_id_unique` ON `shared_results` (`id`);--> statement-breakpoint
CREATE INDEX `shared_results_user` ON `shared_results` (`user_id`);--> statement-breakpoint
CREATE INDEX `shared_results_expiry` ON `shared_results` (`expires_at`);