#pragma once

// Written by make_printing_golden.py.

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {

struct PrintingCase {
  std::string code;
  Tensor tensor;
  std::string text;
};

inline Tensor counting(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.size()));
  std::iota(values.begin(), values.end(), 0.0F);
  return Tensor::from_data(shape, values);
}

inline Tensor thirds(const Shape& shape) {
  Tensor result = counting(shape);
  for (std::int64_t i = 0; i < result.size(); ++i) result.mutable_data<float>()[i] /= 3.0F;
  return result;
}

inline std::vector<PrintingCase> printing_cases() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return {
      {R"(Tensor::from_data<float>(Shape{2, 2}, {22, 28, 49, 64}))",
       Tensor::from_data<float>(Shape{2, 2}, {22, 28, 49, 64}), R"(tf.Tensor(
[[22. 28.]
 [49. 64.]], shape=(2, 2), dtype=float32))"},
      {R"(Tensor::scalar(3.0F))", Tensor::scalar(3.0F), R"(tf.Tensor(3.0, shape=(), dtype=float32))"},
      {R"(Tensor::scalar(0.1))", Tensor::scalar(0.1), R"(tf.Tensor(0.1, shape=(), dtype=float64))"},
      {R"(Tensor::scalar(1.0F / 3.0F))", Tensor::scalar(1.0F / 3.0F),
       R"(tf.Tensor(0.33333334, shape=(), dtype=float32))"},
      {R"(Tensor::scalar(1e20F))", Tensor::scalar(1e20F), R"(tf.Tensor(1e+20, shape=(), dtype=float32))"},
      {R"(Tensor::scalar(std::int32_t{-7}))", Tensor::scalar(std::int32_t{-7}),
       R"(tf.Tensor(-7, shape=(), dtype=int32))"},
      {R"(Tensor::scalar(true))", Tensor::scalar(true), R"(tf.Tensor(True, shape=(), dtype=bool))"},
      {R"(Tensor::from_data<float>(Shape{3}, {1, 2.5F, -3.25F}))",
       Tensor::from_data<float>(Shape{3}, {1, 2.5F, -3.25F}),
       R"(tf.Tensor([ 1.    2.5  -3.25], shape=(3,), dtype=float32))"},
      {R"(Tensor::from_data<float>(Shape{3}, {0.1F, 0.2F, 1.0F / 3.0F}))",
       Tensor::from_data<float>(Shape{3}, {0.1F, 0.2F, 1.0F / 3.0F}),
       R"(tf.Tensor([0.1        0.2        0.33333334], shape=(3,), dtype=float32))"},
      {R"(Tensor::from_data<double>(Shape{3}, {0.1, 2.0 / 3.0, 123.456}))",
       Tensor::from_data<double>(Shape{3}, {0.1, 2.0 / 3.0, 123.456}),
       R"(tf.Tensor([1.00000000e-01 6.66666667e-01 1.23456000e+02], shape=(3,), dtype=float64))"},
      {R"(Tensor::from_data<float>(Shape{3}, {1e-5F, 1, 1000}))", Tensor::from_data<float>(Shape{3}, {1e-5F, 1, 1000}),
       R"(tf.Tensor([1.e-05 1.e+00 1.e+03], shape=(3,), dtype=float32))"},
      {R"(Tensor::from_data<float>(Shape{2}, {1e8F, 1}))", Tensor::from_data<float>(Shape{2}, {1e8F, 1}),
       R"(tf.Tensor([1.e+08 1.e+00], shape=(2,), dtype=float32))"},
      {R"(Tensor::from_data<float>(Shape{2}, {123456, 1234567}))",
       Tensor::from_data<float>(Shape{2}, {123456, 1234567}),
       R"(tf.Tensor([1.234560e+05 1.234567e+06], shape=(2,), dtype=float32))"},
      {R"(Tensor::from_data<float>(Shape{3}, {1e-10F, -2.5e20F, 0}))",
       Tensor::from_data<float>(Shape{3}, {1e-10F, -2.5e20F, 0}),
       R"(tf.Tensor([ 1.0e-10 -2.5e+20  0.0e+00], shape=(3,), dtype=float32))"},
      {R"(Tensor::from_data<double>(Shape{2}, {1e-300, 1e300}))", Tensor::from_data<double>(Shape{2}, {1e-300, 1e300}),
       R"(tf.Tensor([1.e-300 1.e+300], shape=(2,), dtype=float64))"},
      {R"(Tensor::from_data<float>(Shape{4}, {nan, infinity, -infinity, 1}))",
       Tensor::from_data<float>(Shape{4}, {nan, infinity, -infinity, 1}),
       R"(tf.Tensor([ nan  inf -inf   1.], shape=(4,), dtype=float32))"},
      {R"(Tensor::from_data<float>(Shape{2}, {nan, infinity}))", Tensor::from_data<float>(Shape{2}, {nan, infinity}),
       R"(tf.Tensor([nan inf], shape=(2,), dtype=float32))"},
      {R"(Tensor::from_data<float>(Shape{2}, {-0.0F, 0.0F}))", Tensor::from_data<float>(Shape{2}, {-0.0F, 0.0F}),
       R"(tf.Tensor([-0.  0.], shape=(2,), dtype=float32))"},
      {R"(Tensor::scalar(-0.0F))", Tensor::scalar(-0.0F), R"(tf.Tensor(-0.0, shape=(), dtype=float32))"},
      {R"(Tensor::scalar(nan))", Tensor::scalar(nan), R"(tf.Tensor(nan, shape=(), dtype=float32))"},
      {R"(Tensor::from_data<std::int32_t>(Shape{2, 3}, {1, -20, 300, 4, 5, 6}))",
       Tensor::from_data<std::int32_t>(Shape{2, 3}, {1, -20, 300, 4, 5, 6}), R"(tf.Tensor(
[[  1 -20 300]
 [  4   5   6]], shape=(2, 3), dtype=int32))"},
      {R"(Tensor::from_data<std::int64_t>(Shape{2}, {std::numeric_limits<std::int64_t>::min(), 9}))",
       Tensor::from_data<std::int64_t>(Shape{2}, {std::numeric_limits<std::int64_t>::min(), 9}),
       R"(tf.Tensor([-9223372036854775808                    9], shape=(2,), dtype=int64))"},
      {R"(Tensor::from_data<std::uint8_t>(Shape{3}, {0, 255, 7}))",
       Tensor::from_data<std::uint8_t>(Shape{3}, {0, 255, 7}), R"(tf.Tensor([  0 255   7], shape=(3,), dtype=uint8))"},
      {R"(Tensor::from_data<bool>(Shape{2, 2}, {true, false, false, true}))",
       Tensor::from_data<bool>(Shape{2, 2}, {true, false, false, true}), R"(tf.Tensor(
[[ True False]
 [False  True]], shape=(2, 2), dtype=bool))"},
      {R"(Tensor::zeros({0}))", Tensor::zeros({0}), R"(tf.Tensor([], shape=(0,), dtype=float32))"},
      {R"(Tensor::zeros({2, 0, 3}))", Tensor::zeros({2, 0, 3}), R"(tf.Tensor([], shape=(2, 0, 3), dtype=float32))"},
      {R"(Tensor::zeros({0, 3}, int64))", Tensor::zeros({0, 3}, int64), R"(tf.Tensor([], shape=(0, 3), dtype=int64))"},
      {R"(Tensor::zeros({2, 2, 2}))", Tensor::zeros({2, 2, 2}), R"(tf.Tensor(
[[[0. 0.]
  [0. 0.]]

 [[0. 0.]
  [0. 0.]]], shape=(2, 2, 2), dtype=float32))"},
      {R"(Tensor::zeros({1, 2, 1, 2}, bool_))", Tensor::zeros({1, 2, 1, 2}, bool_), R"(tf.Tensor(
[[[[False False]]

  [[False False]]]], shape=(1, 2, 1, 2), dtype=bool))"},
      {R"(counting(Shape{1001}))", counting(Shape{1001}),
       R"(tf.Tensor([   0.    1.    2. ...  998.  999. 1000.], shape=(1001,), dtype=float32))"},
      {R"(counting(Shape{1000}))", counting(Shape{1000}), R"(tf.Tensor(
[  0.   1.   2.   3.   4.   5.   6.   7.   8.   9.  10.  11.  12.  13.
  14.  15.  16.  17.  18.  19.  20.  21.  22.  23.  24.  25.  26.  27.
  28.  29.  30.  31.  32.  33.  34.  35.  36.  37.  38.  39.  40.  41.
  42.  43.  44.  45.  46.  47.  48.  49.  50.  51.  52.  53.  54.  55.
  56.  57.  58.  59.  60.  61.  62.  63.  64.  65.  66.  67.  68.  69.
  70.  71.  72.  73.  74.  75.  76.  77.  78.  79.  80.  81.  82.  83.
  84.  85.  86.  87.  88.  89.  90.  91.  92.  93.  94.  95.  96.  97.
  98.  99. 100. 101. 102. 103. 104. 105. 106. 107. 108. 109. 110. 111.
 112. 113. 114. 115. 116. 117. 118. 119. 120. 121. 122. 123. 124. 125.
 126. 127. 128. 129. 130. 131. 132. 133. 134. 135. 136. 137. 138. 139.
 140. 141. 142. 143. 144. 145. 146. 147. 148. 149. 150. 151. 152. 153.
 154. 155. 156. 157. 158. 159. 160. 161. 162. 163. 164. 165. 166. 167.
 168. 169. 170. 171. 172. 173. 174. 175. 176. 177. 178. 179. 180. 181.
 182. 183. 184. 185. 186. 187. 188. 189. 190. 191. 192. 193. 194. 195.
 196. 197. 198. 199. 200. 201. 202. 203. 204. 205. 206. 207. 208. 209.
 210. 211. 212. 213. 214. 215. 216. 217. 218. 219. 220. 221. 222. 223.
 224. 225. 226. 227. 228. 229. 230. 231. 232. 233. 234. 235. 236. 237.
 238. 239. 240. 241. 242. 243. 244. 245. 246. 247. 248. 249. 250. 251.
 252. 253. 254. 255. 256. 257. 258. 259. 260. 261. 262. 263. 264. 265.
 266. 267. 268. 269. 270. 271. 272. 273. 274. 275. 276. 277. 278. 279.
 280. 281. 282. 283. 284. 285. 286. 287. 288. 289. 290. 291. 292. 293.
 294. 295. 296. 297. 298. 299. 300. 301. 302. 303. 304. 305. 306. 307.
 308. 309. 310. 311. 312. 313. 314. 315. 316. 317. 318. 319. 320. 321.
 322. 323. 324. 325. 326. 327. 328. 329. 330. 331. 332. 333. 334. 335.
 336. 337. 338. 339. 340. 341. 342. 343. 344. 345. 346. 347. 348. 349.
 350. 351. 352. 353. 354. 355. 356. 357. 358. 359. 360. 361. 362. 363.
 364. 365. 366. 367. 368. 369. 370. 371. 372. 373. 374. 375. 376. 377.
 378. 379. 380. 381. 382. 383. 384. 385. 386. 387. 388. 389. 390. 391.
 392. 393. 394. 395. 396. 397. 398. 399. 400. 401. 402. 403. 404. 405.
 406. 407. 408. 409. 410. 411. 412. 413. 414. 415. 416. 417. 418. 419.
 420. 421. 422. 423. 424. 425. 426. 427. 428. 429. 430. 431. 432. 433.
 434. 435. 436. 437. 438. 439. 440. 441. 442. 443. 444. 445. 446. 447.
 448. 449. 450. 451. 452. 453. 454. 455. 456. 457. 458. 459. 460. 461.
 462. 463. 464. 465. 466. 467. 468. 469. 470. 471. 472. 473. 474. 475.
 476. 477. 478. 479. 480. 481. 482. 483. 484. 485. 486. 487. 488. 489.
 490. 491. 492. 493. 494. 495. 496. 497. 498. 499. 500. 501. 502. 503.
 504. 505. 506. 507. 508. 509. 510. 511. 512. 513. 514. 515. 516. 517.
 518. 519. 520. 521. 522. 523. 524. 525. 526. 527. 528. 529. 530. 531.
 532. 533. 534. 535. 536. 537. 538. 539. 540. 541. 542. 543. 544. 545.
 546. 547. 548. 549. 550. 551. 552. 553. 554. 555. 556. 557. 558. 559.
 560. 561. 562. 563. 564. 565. 566. 567. 568. 569. 570. 571. 572. 573.
 574. 575. 576. 577. 578. 579. 580. 581. 582. 583. 584. 585. 586. 587.
 588. 589. 590. 591. 592. 593. 594. 595. 596. 597. 598. 599. 600. 601.
 602. 603. 604. 605. 606. 607. 608. 609. 610. 611. 612. 613. 614. 615.
 616. 617. 618. 619. 620. 621. 622. 623. 624. 625. 626. 627. 628. 629.
 630. 631. 632. 633. 634. 635. 636. 637. 638. 639. 640. 641. 642. 643.
 644. 645. 646. 647. 648. 649. 650. 651. 652. 653. 654. 655. 656. 657.
 658. 659. 660. 661. 662. 663. 664. 665. 666. 667. 668. 669. 670. 671.
 672. 673. 674. 675. 676. 677. 678. 679. 680. 681. 682. 683. 684. 685.
 686. 687. 688. 689. 690. 691. 692. 693. 694. 695. 696. 697. 698. 699.
 700. 701. 702. 703. 704. 705. 706. 707. 708. 709. 710. 711. 712. 713.
 714. 715. 716. 717. 718. 719. 720. 721. 722. 723. 724. 725. 726. 727.
 728. 729. 730. 731. 732. 733. 734. 735. 736. 737. 738. 739. 740. 741.
 742. 743. 744. 745. 746. 747. 748. 749. 750. 751. 752. 753. 754. 755.
 756. 757. 758. 759. 760. 761. 762. 763. 764. 765. 766. 767. 768. 769.
 770. 771. 772. 773. 774. 775. 776. 777. 778. 779. 780. 781. 782. 783.
 784. 785. 786. 787. 788. 789. 790. 791. 792. 793. 794. 795. 796. 797.
 798. 799. 800. 801. 802. 803. 804. 805. 806. 807. 808. 809. 810. 811.
 812. 813. 814. 815. 816. 817. 818. 819. 820. 821. 822. 823. 824. 825.
 826. 827. 828. 829. 830. 831. 832. 833. 834. 835. 836. 837. 838. 839.
 840. 841. 842. 843. 844. 845. 846. 847. 848. 849. 850. 851. 852. 853.
 854. 855. 856. 857. 858. 859. 860. 861. 862. 863. 864. 865. 866. 867.
 868. 869. 870. 871. 872. 873. 874. 875. 876. 877. 878. 879. 880. 881.
 882. 883. 884. 885. 886. 887. 888. 889. 890. 891. 892. 893. 894. 895.
 896. 897. 898. 899. 900. 901. 902. 903. 904. 905. 906. 907. 908. 909.
 910. 911. 912. 913. 914. 915. 916. 917. 918. 919. 920. 921. 922. 923.
 924. 925. 926. 927. 928. 929. 930. 931. 932. 933. 934. 935. 936. 937.
 938. 939. 940. 941. 942. 943. 944. 945. 946. 947. 948. 949. 950. 951.
 952. 953. 954. 955. 956. 957. 958. 959. 960. 961. 962. 963. 964. 965.
 966. 967. 968. 969. 970. 971. 972. 973. 974. 975. 976. 977. 978. 979.
 980. 981. 982. 983. 984. 985. 986. 987. 988. 989. 990. 991. 992. 993.
 994. 995. 996. 997. 998. 999.], shape=(1000,), dtype=float32))"},
      {R"(counting(Shape{40, 30}))", counting(Shape{40, 30}), R"(tf.Tensor(
[[0.000e+00 1.000e+00 2.000e+00 ... 2.700e+01 2.800e+01 2.900e+01]
 [3.000e+01 3.100e+01 3.200e+01 ... 5.700e+01 5.800e+01 5.900e+01]
 [6.000e+01 6.100e+01 6.200e+01 ... 8.700e+01 8.800e+01 8.900e+01]
 ...
 [1.110e+03 1.111e+03 1.112e+03 ... 1.137e+03 1.138e+03 1.139e+03]
 [1.140e+03 1.141e+03 1.142e+03 ... 1.167e+03 1.168e+03 1.169e+03]
 [1.170e+03 1.171e+03 1.172e+03 ... 1.197e+03 1.198e+03 1.199e+03]], shape=(40, 30), dtype=float32))"},
      {R"(counting(Shape{7, 6, 100}))", counting(Shape{7, 6, 100}), R"(tf.Tensor(
[[[0.000e+00 1.000e+00 2.000e+00 ... 9.700e+01 9.800e+01 9.900e+01]
  [1.000e+02 1.010e+02 1.020e+02 ... 1.970e+02 1.980e+02 1.990e+02]
  [2.000e+02 2.010e+02 2.020e+02 ... 2.970e+02 2.980e+02 2.990e+02]
  [3.000e+02 3.010e+02 3.020e+02 ... 3.970e+02 3.980e+02 3.990e+02]
  [4.000e+02 4.010e+02 4.020e+02 ... 4.970e+02 4.980e+02 4.990e+02]
  [5.000e+02 5.010e+02 5.020e+02 ... 5.970e+02 5.980e+02 5.990e+02]]

 [[6.000e+02 6.010e+02 6.020e+02 ... 6.970e+02 6.980e+02 6.990e+02]
  [7.000e+02 7.010e+02 7.020e+02 ... 7.970e+02 7.980e+02 7.990e+02]
  [8.000e+02 8.010e+02 8.020e+02 ... 8.970e+02 8.980e+02 8.990e+02]
  [9.000e+02 9.010e+02 9.020e+02 ... 9.970e+02 9.980e+02 9.990e+02]
  [1.000e+03 1.001e+03 1.002e+03 ... 1.097e+03 1.098e+03 1.099e+03]
  [1.100e+03 1.101e+03 1.102e+03 ... 1.197e+03 1.198e+03 1.199e+03]]

 [[1.200e+03 1.201e+03 1.202e+03 ... 1.297e+03 1.298e+03 1.299e+03]
  [1.300e+03 1.301e+03 1.302e+03 ... 1.397e+03 1.398e+03 1.399e+03]
  [1.400e+03 1.401e+03 1.402e+03 ... 1.497e+03 1.498e+03 1.499e+03]
  [1.500e+03 1.501e+03 1.502e+03 ... 1.597e+03 1.598e+03 1.599e+03]
  [1.600e+03 1.601e+03 1.602e+03 ... 1.697e+03 1.698e+03 1.699e+03]
  [1.700e+03 1.701e+03 1.702e+03 ... 1.797e+03 1.798e+03 1.799e+03]]

 ...

 [[2.400e+03 2.401e+03 2.402e+03 ... 2.497e+03 2.498e+03 2.499e+03]
  [2.500e+03 2.501e+03 2.502e+03 ... 2.597e+03 2.598e+03 2.599e+03]
  [2.600e+03 2.601e+03 2.602e+03 ... 2.697e+03 2.698e+03 2.699e+03]
  [2.700e+03 2.701e+03 2.702e+03 ... 2.797e+03 2.798e+03 2.799e+03]
  [2.800e+03 2.801e+03 2.802e+03 ... 2.897e+03 2.898e+03 2.899e+03]
  [2.900e+03 2.901e+03 2.902e+03 ... 2.997e+03 2.998e+03 2.999e+03]]

 [[3.000e+03 3.001e+03 3.002e+03 ... 3.097e+03 3.098e+03 3.099e+03]
  [3.100e+03 3.101e+03 3.102e+03 ... 3.197e+03 3.198e+03 3.199e+03]
  [3.200e+03 3.201e+03 3.202e+03 ... 3.297e+03 3.298e+03 3.299e+03]
  [3.300e+03 3.301e+03 3.302e+03 ... 3.397e+03 3.398e+03 3.399e+03]
  [3.400e+03 3.401e+03 3.402e+03 ... 3.497e+03 3.498e+03 3.499e+03]
  [3.500e+03 3.501e+03 3.502e+03 ... 3.597e+03 3.598e+03 3.599e+03]]

 [[3.600e+03 3.601e+03 3.602e+03 ... 3.697e+03 3.698e+03 3.699e+03]
  [3.700e+03 3.701e+03 3.702e+03 ... 3.797e+03 3.798e+03 3.799e+03]
  [3.800e+03 3.801e+03 3.802e+03 ... 3.897e+03 3.898e+03 3.899e+03]
  [3.900e+03 3.901e+03 3.902e+03 ... 3.997e+03 3.998e+03 3.999e+03]
  [4.000e+03 4.001e+03 4.002e+03 ... 4.097e+03 4.098e+03 4.099e+03]
  [4.100e+03 4.101e+03 4.102e+03 ... 4.197e+03 4.198e+03 4.199e+03]]], shape=(7, 6, 100), dtype=float32))"},
      {R"(counting(Shape{2000, 2}))", counting(Shape{2000, 2}), R"(tf.Tensor(
[[0.000e+00 1.000e+00]
 [2.000e+00 3.000e+00]
 [4.000e+00 5.000e+00]
 ...
 [3.994e+03 3.995e+03]
 [3.996e+03 3.997e+03]
 [3.998e+03 3.999e+03]], shape=(2000, 2), dtype=float32))"},
      {R"(thirds(Shape{20}))", thirds(Shape{20}), R"(tf.Tensor(
[0.         0.33333334 0.6666667  1.         1.3333334  1.6666666
 2.         2.3333333  2.6666667  3.         3.3333333  3.6666667
 4.         4.3333335  4.6666665  5.         5.3333335  5.6666665
 6.         6.3333335 ], shape=(20,), dtype=float32))"},
      {R"(thirds(Shape{3, 9}))", thirds(Shape{3, 9}), R"(tf.Tensor(
[[0.         0.33333334 0.6666667  1.         1.3333334  1.6666666
  2.         2.3333333  2.6666667 ]
 [3.         3.3333333  3.6666667  4.         4.3333335  4.6666665
  5.         5.3333335  5.6666665 ]
 [6.         6.3333335  6.6666665  7.         7.3333335  7.6666665
  8.         8.333333   8.666667  ]], shape=(3, 9), dtype=float32))"},
      {R"(Tensor::from_data<Half>(Shape{3}, {Half(1.0F), Half(0.1F), Half(-2.5F)}))",
       Tensor::from_data<Half>(Shape{3}, {Half(1.0F), Half(0.1F), Half(-2.5F)}),
       R"(tf.Tensor([ 1.   0.1 -2.5], shape=(3,), dtype=float16))"},
      {R"(Tensor::from_data<Half>(Shape{2}, {Half(6e-8F), Half(65504.0F)}))",
       Tensor::from_data<Half>(Shape{2}, {Half(6e-8F), Half(65504.0F)}),
       R"(tf.Tensor([5.96e-08 6.55e+04], shape=(2,), dtype=float16))"},
      {R"(Tensor::from_data<Half>(Shape{2}, {Half(0.333F), Half(999.0F)}))",
       Tensor::from_data<Half>(Shape{2}, {Half(0.333F), Half(999.0F)}),
       R"(tf.Tensor([3.33e-01 9.99e+02], shape=(2,), dtype=float16))"},
      {R"(Tensor::scalar(Half(0.1F)))", Tensor::scalar(Half(0.1F)), R"(tf.Tensor(0.1, shape=(), dtype=float16))"},
      {R"(Tensor::scalar(Half(2048.0F)))", Tensor::scalar(Half(2048.0F)),
       R"(tf.Tensor(2.048e+03, shape=(), dtype=float16))"},
      {R"(Tensor::from_data<BFloat16>(Shape{4}, {BFloat16(1.0F), BFloat16(0.1F), BFloat16(-2.5F), BFloat16(1e10F)}))",
       Tensor::from_data<BFloat16>(Shape{4}, {BFloat16(1.0F), BFloat16(0.1F), BFloat16(-2.5F), BFloat16(1e10F)}),
       R"(tf.Tensor([1 0.100098 -2.5 9.99922e+09], shape=(4,), dtype=bfloat16))"},
      {R"(Tensor::from_data<BFloat16>(Shape{2, 2}, {BFloat16(1.0F), BFloat16(100.0F), BFloat16(nan), BFloat16(1e-6F)}))",
       Tensor::from_data<BFloat16>(Shape{2, 2}, {BFloat16(1.0F), BFloat16(100.0F), BFloat16(nan), BFloat16(1e-6F)}),
       R"(tf.Tensor(
[[1 100]
 [nan 9.98378e-07]], shape=(2, 2), dtype=bfloat16))"},
      {R"(Tensor::scalar(BFloat16(3.14F)))", Tensor::scalar(BFloat16(3.14F)),
       R"(tf.Tensor(3.14062, shape=(), dtype=bfloat16))"},
      {R"(Tensor::scalar(123456.789F))", Tensor::scalar(123456.789F),
       R"(tf.Tensor(123456.79, shape=(), dtype=float32))"},
      {R"(Tensor::scalar(1e16))", Tensor::scalar(1e16), R"(tf.Tensor(1e+16, shape=(), dtype=float64))"},
      {R"(Tensor::scalar(1e15))", Tensor::scalar(1e15), R"(tf.Tensor(1000000000000000.0, shape=(), dtype=float64))"},
      {R"(Tensor::scalar(0.0001F))", Tensor::scalar(0.0001F), R"(tf.Tensor(1e-04, shape=(), dtype=float32))"},
      {R"(Tensor::scalar(0.00001F))", Tensor::scalar(0.00001F), R"(tf.Tensor(1e-05, shape=(), dtype=float32))"},
      {R"(Tensor::from_data<float>(Shape{4}, {0.5F, 999.5F, 12.125F, 7}))",
       Tensor::from_data<float>(Shape{4}, {0.5F, 999.5F, 12.125F, 7}),
       R"(tf.Tensor([5.0000e-01 9.9950e+02 1.2125e+01 7.0000e+00], shape=(4,), dtype=float32))"},
      {R"(Tensor::from_data<double>(Shape{2}, {1.0 / 3.0 * 1e-3, 2.0 / 3.0 * 1e-4}))",
       Tensor::from_data<double>(Shape{2}, {1.0 / 3.0 * 1e-3, 2.0 / 3.0 * 1e-4}),
       R"(tf.Tensor([3.33333333e-04 6.66666667e-05], shape=(2,), dtype=float64))"},
      {R"(Tensor::from_data<double>(Shape{2}, {0.123456785, 0.5}))",
       Tensor::from_data<double>(Shape{2}, {0.123456785, 0.5}),
       R"(tf.Tensor([0.12345678 0.5       ], shape=(2,), dtype=float64))"},
      {R"(Tensor::from_data<double>(Shape{2}, {1e-9, 1e100}))", Tensor::from_data<double>(Shape{2}, {1e-9, 1e100}),
       R"(tf.Tensor([1.e-009 1.e+100], shape=(2,), dtype=float64))"},
      {R"(Tensor::from_data<double>(Shape{1}, {99999999.5}))", Tensor::from_data<double>(Shape{1}, {99999999.5}),
       R"(tf.Tensor([99999999.5], shape=(1,), dtype=float64))"},
      {R"(Tensor::from_data<double>(Shape{2}, {0.999999999, 0.5}))",
       Tensor::from_data<double>(Shape{2}, {0.999999999, 0.5}), R"(tf.Tensor([1.  0.5], shape=(2,), dtype=float64))"},
      {R"(Tensor::from_data<double>(Shape{2}, {9.9999999999e20, 5}))",
       Tensor::from_data<double>(Shape{2}, {9.9999999999e20, 5}),
       R"(tf.Tensor([1.e+21 5.e+00], shape=(2,), dtype=float64))"},
      {R"(Tensor::full({1}, 1, bool_))", Tensor::full({1}, 1, bool_), R"(tf.Tensor([ True], shape=(1,), dtype=bool))"},
      {R"(Tensor::full({1, 3}, 0.0001))", Tensor::full({1, 3}, 0.0001),
       R"(tf.Tensor([[0.0001 0.0001 0.0001]], shape=(1, 3), dtype=float32))"},
      {R"(Tensor::from_data<float>(Shape{3}, {0.1F, 1.23456789e-10F, 3.3333333e5F}))",
       Tensor::from_data<float>(Shape{3}, {0.1F, 1.23456789e-10F, 3.3333333e5F}),
       R"(tf.Tensor([1.0000000e-01 1.2345679e-10 3.3333334e+05], shape=(3,), dtype=float32))"},
      {R"(Tensor::scalar(1e6F))", Tensor::scalar(1e6F), R"(tf.Tensor(1e+06, shape=(), dtype=float32))"},
      {R"(Tensor::scalar(999999.0F))", Tensor::scalar(999999.0F), R"(tf.Tensor(999999.0, shape=(), dtype=float32))"},
      {R"(Tensor::scalar(-infinity))", Tensor::scalar(-infinity), R"(tf.Tensor(-inf, shape=(), dtype=float32))"},
      {R"(Tensor::scalar(Half(999.5F)))", Tensor::scalar(Half(999.5F)), R"(tf.Tensor(999.5, shape=(), dtype=float16))"},
      {R"(Tensor::scalar(1.0 / 3.0))", Tensor::scalar(1.0 / 3.0),
       R"(tf.Tensor(0.3333333333333333, shape=(), dtype=float64))"},
      {R"(Tensor::scalar(123456789.123456789))", Tensor::scalar(123456789.123456789),
       R"(tf.Tensor(123456789.12345679, shape=(), dtype=float64))"},
      {R"(Tensor::from_data<float>(Shape{3}, {-infinity, 0.5F, 1e-9F}))",
       Tensor::from_data<float>(Shape{3}, {-infinity, 0.5F, 1e-9F}),
       R"(tf.Tensor([  -inf 5.e-01 1.e-09], shape=(3,), dtype=float32))"},
      {R"(Tensor::from_data<double>(Shape{2}, {-infinity, -infinity}))",
       Tensor::from_data<double>(Shape{2}, {-infinity, -infinity}),
       R"(tf.Tensor([-inf -inf], shape=(2,), dtype=float64))"},
      {R"(Tensor::from_data<Half>(Shape{2}, {Half(0.0001F), Half(0.01F)}))",
       Tensor::from_data<Half>(Shape{2}, {Half(0.0001F), Half(0.01F)}),
       R"(tf.Tensor([0.0001 0.01  ], shape=(2,), dtype=float16))"},
  };
}

}  // namespace rhyton
