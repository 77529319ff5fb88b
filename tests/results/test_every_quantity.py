"""Every quantity that msj can print has a test that knows its value, worked out some other way; here is which.

``python -m verification.values`` puts the values wrong, name by name, and tells whether a test notices. A name that is
in no list fails here: say which test knows its value.
"""

import ast
from pathlib import Path

import pytest

from msj.results.glossary import GLOSSARY

#: Names by the test that knows their values.
KNOWN = {
    "answers/test_terms_by_hand.py::test_every_term_of_wcfs_where_the_queue_is_m_m_2": """
        naive_threshold utilisation mean_jobs_waiting mg1_mean_response_time heavy_traffic_limit mean_work
        mean_queueing_time mean_front_time work_lower_bound work_upper_bound queueing_time_lower_bound
        queueing_time_upper_bound queueing_time_lower_bound_from_work queueing_time_upper_bound_from_work
        front_time_lower_bound front_time_upper_bound response_time_lower_bound response_time_upper_bound
        work_sharper_lower_bound work_sharper_upper_bound queueing_time_sharper_lower_bound
        queueing_time_sharper_upper_bound front_time_sharper_lower_bound front_time_sharper_upper_bound
        response_time_sharper_lower_bound response_time_sharper_upper_bound""",
    "answers/test_terms_by_hand.py::test_every_bound_on_the_waiting_probability_from_two_poisson_numbers": """
        waiting_probability_bound waiting_probability_sum_bound waiting_probability_sharper_bound
        waiting_probability_little_bound waiting_probability_sharpest_bound waiting_probability_lower_bound
        server_time_left_bound shortfall_bound shortfall_sharper_bound""",
    "answers/test_terms_by_hand.py::test_every_constant_of_reset_where_the_prediction_is_exact": """
        at_least_k_mean_back at_least_k_empty_probability at_least_k_busy_period predicted_mean_response_time
        reset_constant_limit reset_constant_high""",
    "answers/test_terms_by_hand.py::test_what_large_jobs_cost_is_what_small_ones_alone_would_complete_more": """
        lost_throughput share_large""",
    "answers/test_completion_terms_by_hand.py::test_each_term_of_three_servers_in_fractions": """
        completions_term_1 completions_term_2 completions_term_3 completions_term_4 completions_term_5
        scaled_completions""",
    "answers/test_completion_terms_by_hand.py::test_the_worst_share_of_two_servers_is_the_root_of_a_derivative": """
        worst_share_large worst_relative_completions""",
    "answers/test_completion_terms_by_hand.py::test_what_reset_leaves_open_of_m_m_2": "reset_constant_low",
    "answers/test_rows_by_hand.py::test_states_of_the_running_example_by_balance_equations": """
        state_probability state_probability_at_departure relative_completions""",
    "answers/test_rows_by_hand.py::test_differences_on_the_same_jobs_are_those_of_the_exact_means": """
        mean_response_time_difference mean_waiting_time_difference mean_jobs_in_system_difference
        mean_jobs_waiting_difference waiting_probability_difference""",
    "answers/test_rows_by_hand.py::test_what_a_log_of_three_jobs_says_by_hand": """
        jobs_read jobs_used jobs_left_out servers offered_utilisation arrival_rate mean_need largest_need mean_run_time
        peak_servers_in_use overrun_share mean_estimate_accuracy mean_slowdown""",
    "answers/test_rows_by_hand.py::test_servers_that_are_set_up_are_switched_off_as_often_as_renewal_says": """
        off_servers set_up_servers busy_servers idle_servers""",
    "answers/test_rows_by_hand.py::test_packings_that_take_most_share_the_time_by_their_work": "time_share",
    "answers/test_rows_by_hand.py::test_the_law_of_the_number_of_jobs_begins_at_none": "jobs_in_system_probability",
    "answers/test_more_rows_by_hand.py::test_how_unevenly_triples_of_jobs_come_by_hand": """
        alike_share arrival_dispersion work_dispersion""",
    "answers/test_more_rows_by_hand.py::test_a_lognormal_law_of_three_run_times_and_of_two_by_hand": """
        run_time_cv fitted_mean_run_time fitted_run_time_cv fit_distance""",
    "answers/test_more_rows_by_hand.py::test_what_a_poisson_fit_predicts_of_three_at_a_time_by_hand": """
        predicted_over_replayed""",
    "answers/test_more_rows_by_hand.py::test_what_a_plan_shows_of_five_jobs_by_hand": """
        exceedance_probability slowdown_percentile bounded_slowdown_percentile""",
    "answers/test_more_rows_by_hand.py::test_claims_are_counted_by_what_is_said_of_them": """
        claims claims_reproduced claims_by_our_reading""",
    "answers/test_more_rows_by_hand.py::test_jobs_are_lost_as_often_as_four_states_say": "loss_probability",
    "answers/test_more_rows_by_hand.py::test_servers_of_jobs_that_load_after_a_breakdown_are_paid_for_by_renewal": """
        paying_servers""",
    "simulation/test_rows_of_servers_by_hand.py::test_servers_that_idle_while_jobs_wait": """
        idle_servers_while_jobs_wait""",
    "simulation/test_rows_of_servers_by_hand.py::test_jobs_are_put_aside_by_those_that_come_before_them": """
        preemptions_per_job""",
    "simulation/test_rows_of_servers_by_hand.py::test_waits_by_the_hour_are_those_of_a_queue_whose_rate_changes": """
        hourly_mean_waiting_time hourly_waiting_probability""",
    "planning/test_capacity.py::test_blame_of_two_classes_by_hand": "blocked_servers",
    "answers/test_replay.py::test_the_numbers_are_those_of_the_jobs": "mean_bounded_slowdown makespan",
    "analysis/test_exact_response.py::test_needs_of_one_are_erlang_c": """
        mean_waiting_time waiting_time_percentile waiting_probability tail_decay_rate""",
    "analysis/test_exact_response.py::test_the_running_example": "mean_response_time",
    "analysis/test_count_chain.py::test_one_need_is_a_queue_of_many_servers": "stability_threshold mean_jobs_in_system",
    "analysis/test_mmsr.py::test_one_state_is_mm1": "response_time_percentile",
    "analysis/test_known_numbers.py::test_threshold_and_relative_completions": "relative_completions_at_departure",
    "analysis/test_known_numbers.py::test_wasted_servers_of_twoclass_section_9": "saturated_utilisation wasted_servers",
    "analysis/test_reset_terms.py::test_one_server_is_its_own_at_least_k_system": "empty_back_probability",
    "analysis/test_reset_terms.py::test_completions_ahead_are_the_integral_of_the_rates": "completions_ahead",
    "analysis/test_wcfs_lemmas.py::test_zhang_and_zwart_of_figure_1": "approximate_mean_response_time",
    "markov/test_reset_remainder.py::test_it_is_the_difference_wherever_a_subtraction_can_be_trusted": """
        reset_difference""",
    "closed_forms/test_packing_programme.py::test_a_work_conserving_policy_attains_it": "attainable_threshold",
    "closed_forms/test_two_of_many.py::test_the_error_stands_beside_the_approximation": """
        approximate_stability_threshold approximation_error""",
    "cli/test_cli.py::test_load_from_the_command_line": "load",
    "cli/test_fit_command.py::test_names_in_the_json_of_fit": "share",
    "cli/test_fluid_command.py::test_csv_and_json": "equilibrium_jobs_over_rate time_to_equilibrium",
    "fitting/test_round_trip.py::test_replications_are_taken_one_after_the_other": "stickiness",
    "fronts/test_front_of.py::test_what_set_up_says_about_energy": "mean_power",
    "growth/test_fluid.py::test_distance_falls_like_the_root_of_n": "distance_exponent",
    "growth/test_rows_by_hand_of_growth.py::test_the_fluid_falls_in_a_line_and_then_like_an_exponential": """
        fluid_jobs_over_rate""",
    "growth/test_rows_by_hand_of_growth.py::test_a_path_of_many_jobs_is_near_its_mean": "jobs_over_rate",
    "growth/test_rows_by_hand_of_growth.py::test_the_mean_distance_is_that_of_a_chain_between_walls": """
        mean_distance_to_fluid""",
    "growth/test_rows_by_hand_of_growth.py::test_the_papers_bound_on_the_distance_is_five_per_cent": """
        distance_to_fluid_bound""",
    "growth/test_rows_by_hand_of_growth.py::test_the_sharper_bound_on_the_distance_from_the_best_number_of_pieces": """
        distance_to_fluid_sharper_bound""",
    "growth/test_rows_by_hand_of_growth.py::test_waiting_on_the_border_by_the_normal_law": """
        limiting_waiting_probability_lower_bound limiting_waiting_probability_upper_bound""",
    "growth/test_rows_by_hand_of_growth.py::test_the_waste_of_the_running_example_and_what_it_tends_to": """
        wasted_share limiting_wasted_servers""",
    "growth/test_rows_by_hand_of_growth.py::test_where_the_waste_ends_as_large_jobs_become_slow_or_fast": """
        wasted_servers_limit""",
    "growth/test_rows_by_hand_of_growth.py::test_sure_stability_from_the_servers_that_are_busy_when_somebody_waits": """
        sharper_sufficient_utilisation""",
    "growth/test_rows_by_hand_of_growth.py::test_simulated_waiting_is_that_of_erlang": "simulated_waiting_probability",
    "growth/test_zero_queueing.py::test_the_theorem_is_cited_for_exponential_durations_only": "sufficient_utilisation",
    "growth/test_sharpest_bound.py::test_lemmas_against_a_chain_that_keeps_the_head": "server_time_left",
    "growth/test_sharpest_bound.py::test_the_border_is_one_curve_whatever_the_needs_grow_like": """
        limiting_waiting_probability""",
    "growth/test_zero_queueing_family.py::test_one_class_is_all_jobs": "need",
    "planning/test_plan_lines.py::test_the_most_load_is_the_last_step_that_meets_the_target": """
        planned_load planned_utilisation planned_arrival_rate""",
    "planning/test_plan_lines.py::test_the_largest_share_is_the_last_step_that_meets_the_target": "planned_share",
    "planning/test_plan_lines.py::test_growth_uses_up_the_headroom_and_servers_cost": """
        load_headroom years_of_headroom yearly_cost""",
    "planning/test_plan_lines.py::test_the_largest_cap_is_told_with_the_next_that_misses": "planned_cap",
    "planning/test_plan_lines.py::test_the_policy_with_most_room_is_chosen": "planned_policy",
    "planning/test_plan_lines.py::test_partitions_are_planned_one_by_one_and_set_beside_one_pool": """
        planned_cut partitioned_servers""",
    "cli/test_plan.py::test_programs_get_the_answer_and_the_points_as_rows": """
        planned_servers naive_servers spare_servers meets_targets""",
    "reports/test_findings.py::test_the_numbers_behind_a_growing_queue_and_a_change": """
        stability_threshold_change queue_growth""",
    "simulation/test_simulate.py::test_an_unstable_system_is_named_with_its_growth": "queue_growth_rate",
    "simulation/test_areas.py::test_power_and_cost_are_what_the_states_take": "mean_cost",
    "simulation/test_parts_in_runs.py::test_rows_of_all_states_add_up": "broken_servers",
    "simulation/test_controls.py::test_means_with_and_without_controls_agree_and_the_gain_is_what_it_says": """
        variance_reduction""",
}
TESTS = Path(__file__).parents[1]


def test_every_name_of_the_glossary_is_known_to_one_test():
    listed = [name for names in KNOWN.values() for name in names.split()]
    assert sorted(listed) == sorted(GLOSSARY)


@pytest.mark.parametrize("test", KNOWN)
def test_that_test_is_there_and_speaks_of_them(test):
    file, _, function = test.partition("::")
    text = (TESTS / file).read_text(encoding="utf-8")
    (found,) = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == function)
    body = ast.get_source_segment(text, found)
    for name in KNOWN[test].split():
        assert name.removesuffix("_difference") in body, name  # written as a difference of that
