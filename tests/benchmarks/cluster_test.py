#!/usr/bin/env python3
"""The section of clusters shows what was measured, and the model of parameter servers keeps the limits of its parts."""

import unittest

from comparison import cluster, network_model, server_model

OURS = {"bytes": 10**8, "call": 1e-4, "pull": 0.1, "assign": 0.1, "push": 0.2, "sgd": 0.02, "adam": 0.05}
PLAIN = {"bytes": 10**8, "pull": 0.08, "push": 0.06}
MODEL = {"name": "dense, large", "alone": {"1": 0.05, "8": 0.06, "64": 0.1}, "messages": [10**8, 8]}
NETWORK = server_model.NETWORKS[0]
SERVER = server_model.measured_server(OURS)
SIZE, COMPUTE = 10**8, 0.1


def rate(workers, servers):
    return server_model.asynchronous_rate(SIZE, COMPUTE, workers, servers, NETWORK, SERVER)


class Section(unittest.TestCase):
    def test_ratios_are_those_to_the_direction_of_the_plain_stream(self):
        section = cluster.section({"rhyton": [OURS], "plain": [PLAIN]}, "head")
        self.assertIn("| `pull` | 100.0 | 1.00 | 80.0 | 0.80 |", section)
        self.assertIn("| `assign` | 100.0 | 1.00 | 60.0 | 0.60 |", section)
        self.assertIn("| `push`, with the step of SGD | 200.0 | 0.50 | 60.0 | 0.30 |", section)
        self.assertIn("| a step of Adam | 50.0 |", section)


class Model(unittest.TestCase):
    def test_one_worker_waits_for_its_own_traffic_alone(self):
        transfers = 2 * server_model.own_transfer_seconds(SIZE, NETWORK, SERVER)
        self.assertAlmostEqual(1 / rate(1, 1), COMPUTE + transfers + 0.05)
        step = server_model.synchronous_seconds(SIZE, COMPUTE, 1, 1, NETWORK, SERVER)
        self.assertAlmostEqual(step, COMPUTE + transfers + 0.02 + 0.05)

    def test_many_workers_get_what_the_servers_can_do(self):
        for servers in (1, 8):
            link = SIZE / servers / NETWORK.bytes_per_second
            self.assertAlmostEqual(rate(10**6, servers), 1 / link)
            step = server_model.synchronous_seconds(SIZE, COMPUTE, 512, servers, NETWORK, SERVER)
            self.assertGreater(step, 2 * 512 * link)

    def test_more_servers_never_slow_down(self):
        for workers in server_model.TABULATED:
            rates = [rate(workers, servers) for servers in server_model.SERVERS]
            self.assertEqual(rates, sorted(rates))

    def test_a_slow_worker_costs_the_asynchronous_form_its_own_share(self):
        slow = server_model.slow_asynchronous(1000, COMPUTE, 8, 8, NETWORK, SERVER)
        self.assertAlmostEqual(slow, 7.5 / 8, places=2)

    def test_tables_have_a_column_for_each_form(self):
        lines = server_model.efficiency_table([MODEL], SERVER)
        self.assertEqual(len({line.count("|") for line in lines}), 1)
        rows = len(server_model.NETWORKS) * len(server_model.TABULATED)
        self.assertEqual(len(lines), 2 + rows)
        self.assertIn(network_model.percent(server_model.reduction_efficiency(MODEL, 0.1, 8, NETWORK)), lines[2])

    def test_charts_are_named_after_the_models(self):
        self.assertEqual(list(server_model.charts([MODEL], SERVER)), ["servers_dense"])


if __name__ == "__main__":
    unittest.main()
